#include "artifact/artifact.h"
#include "artifact/format.h"
#include "support/hash.h"

#include <algorithm>

namespace tl {

using namespace tlk;

static void writeDims(ByteWriter &w, const std::vector<DimSpec> &dims) {
  w.varint(dims.size());
  for (const DimSpec &dim : dims) {
    w.u8(uint8_t(dim.kind));
    w.svarint(dim.value);
  }
}

static void writeArg(ByteWriter &w, const ArtifactArg &arg) {
  w.string(arg.name);
  w.u8(uint8_t(arg.kind));
  w.varint(uint32_t(arg.dtype));
  writeDims(w, arg.extents);
  writeDims(w, arg.strides);
  w.u8(arg.optional);
  w.u8(arg.distinct);
  w.u8(arg.written);
  w.u8(arg.hasDefault);
  w.svarint(arg.defaultInt);
  w.f64(arg.defaultFloat);
  w.u8(uint8_t(arg.generator.kind));
  w.f64(arg.generator.low);
  w.f64(arg.generator.high);
  w.svarint(arg.generator.lowArg);
  w.svarint(arg.generator.highArg);
}

static void writeExpr(ByteWriter &w, const Expr &expr) {
  w.varint(expr.size());
  for (const ExprNode &node : expr) {
    w.u8(uint8_t(node.op));
    w.svarint(node.value);
  }
}

static void writeExprs(ByteWriter &w, const std::vector<Expr> &list) {
  w.varint(list.size());
  for (const Expr &expr : list)
    writeExpr(w, expr);
}

static Bytes kernelSection(const Artifact &a) {
  ByteWriter w;
  w.string(a.kernel);
  w.string(a.buildId);
  w.varint(a.args.size());
  for (const ArtifactArg &arg : a.args)
    writeArg(w, arg);
  w.varint(a.slots.size());
  for (const KernargSlot &slot : a.slots) {
    w.u8(uint8_t(slot.kind));
    w.varint(slot.arg);
    w.u8(slot.axis);
  }
  writeExprs(w, a.grid);
  return std::move(w.out);
}

static Bytes stepsSection(const Artifact &a) {
  ByteWriter w;
  w.varint(a.temporaries.size());
  for (const ArtifactTemporary &temporary : a.temporaries) {
    w.varint(uint32_t(temporary.dtype));
    writeExprs(w, temporary.extents);
  }
  w.varint(a.steps.size());
  for (const Step &step : a.steps) {
    w.varint(step.member);
    w.varint(step.args.size());
    for (const StepArg &arg : step.args) {
      w.u8(uint8_t(arg.kind));
      if (arg.kind == StepArg::Kind::Integer)
        writeExpr(w, arg.expr);
      else if (arg.kind == StepArg::Kind::Float)
        w.f64(arg.number);
      else
        w.varint(arg.index);
    }
  }
  return std::move(w.out);
}

static Bytes logSection(const Artifact &a) {
  ByteWriter w;
  w.varint(a.logSites.size());
  for (const LogSite &site : a.logSites) {
    w.u8(site.isAssert);
    w.varint(site.line);
    w.string(site.message);
    w.varint(site.values.size());
    for (const LogSite::Value &value : site.values) {
      w.varint(uint32_t(value.dtype));
      w.varint(value.extents.size());
      for (int64_t extent : value.extents)
        w.svarint(extent);
    }
  }
  return std::move(w.out);
}

static Bytes codeSection(const TargetCode &code) {
  ByteWriter w;
  w.string(code.target);
  w.string(code.symbol);
  w.bytes(code.code);
  w.bytes(code.object);
  for (uint32_t v : {code.threads, code.waveSize, code.arenaBytes, code.ldsBytes})
    w.varint(v);
  const ResourceUse &use = code.use;
  for (uint32_t v : {use.vgprs, use.agprs, use.sgprs, use.vgprSpills, use.sgprSpills, use.ldsBytes,
                     use.scratchBytes, use.occupancyWaves})
    w.varint(v);
  w.varint(code.listings.size());
  for (const auto &[name, text] : code.listings) {
    w.string(name);
    w.string(text);
  }
  return std::move(w.out);
}

static Bytes locationList(const std::vector<LocationEntry> &locations) {
  std::vector<std::string_view> files;
  auto fileIndex = [&](const std::string &file) {
    auto it = std::find(files.begin(), files.end(), file);
    if (it == files.end())
      it = files.insert(it, file);
    return size_t(it - files.begin());
  };
  ByteWriter entries;
  for (const LocationEntry &entry : locations) {
    entries.varint(entry.line);
    entries.varint(fileIndex(entry.source.file));
    entries.varint(entry.source.line);
    entries.varint(entry.source.column);
  }
  ByteWriter w;
  w.varint(files.size());
  for (std::string_view file : files)
    w.string(file);
  w.varint(locations.size());
  w.raw(entries.out.data(), entries.out.size());
  return std::move(w.out);
}

/// The artifact's own locations, then those of each member. (Kernels have no members, so that the
/// lists of a library of sequences nest twice, and no deeper.)
static Bytes locationPayload(const Artifact &artifact) {
  ByteWriter w;
  Bytes own = locationList(artifact.locations);
  w.raw(own.data(), own.size());
  for (const Artifact &member : artifact.members)
    w.bytes(locationPayload(member));
  return std::move(w.out);
}

static Bytes writeBody(const Artifact &artifact) {
  std::vector<std::pair<Section, Bytes>> sections;
  if (!artifact.isLibrary())
    sections.emplace_back(Section::Kernel, kernelSection(artifact));
  for (const TargetCode &code : artifact.codes)
    sections.emplace_back(Section::Code, codeSection(code));
  if (!artifact.graph.empty())
    sections.emplace_back(Section::Graph, artifact.graph);
  if (!artifact.text.empty())
    sections.emplace_back(Section::Text, Bytes(artifact.text.begin(), artifact.text.end()));
  if (!artifact.logSites.empty())
    sections.emplace_back(Section::Log, logSection(artifact));
  if (artifact.isSequence())
    sections.emplace_back(Section::Steps, stepsSection(artifact));
  for (const Artifact &member : artifact.members)
    sections.emplace_back(Section::Member, writeBody(member));

  uint64_t offset = kHeaderBytes + kTableEntryBytes * sections.size();
  uint64_t bodySize = offset + kChecksumBytes;
  for (const auto &[id, bytes] : sections)
    bodySize += bytes.size();

  ByteWriter w;
  w.out.reserve(bodySize + kLocationFrameBytes);
  w.raw(kMagic, sizeof kMagic);
  w.u32(kArtifactVersion);
  w.u32(uint32_t(sections.size()));
  w.u64(bodySize);
  for (const auto &[id, bytes] : sections) {
    w.u32(uint32_t(id));
    w.u32(0);
    w.u64(offset);
    w.u64(bytes.size());
    offset += bytes.size();
  }
  for (const auto &[id, bytes] : sections)
    w.raw(bytes.data(), bytes.size());
  w.u64(checksumBytes(w.out));
  return std::move(w.out);
}

Bytes writeArtifact(const Artifact &artifact) {
  ByteWriter w;
  w.out = writeBody(artifact);
  size_t frame = w.out.size();
  Bytes payload = locationPayload(artifact);
  w.u32(kLocationMarker);
  w.u32(0);
  w.u64(payload.size());
  w.raw(payload.data(), payload.size());
  w.u64(checksumBytes(std::span(w.out).subspan(frame)));
  return std::move(w.out);
}

} // namespace tl
