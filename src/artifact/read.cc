#include "artifact/artifact.h"
#include "artifact/format.h"
#include "support/hash.h"

#include <algorithm>

namespace tl {

using namespace tlk;

#define BROKEN(...) return makeError(TL_E_CORRUPT, "corrupt artifact: " __VA_ARGS__)

static bool readBool(ByteReader &r) {
  uint8_t v = r.u8();
  if (v > 1)
    r.fail();
  return v == 1;
}

static uint32_t readU32(ByteReader &r) {
  uint64_t v = r.varint();
  if (v > UINT32_MAX)
    r.fail();
  return uint32_t(v);
}

static int32_t readS32(ByteReader &r) {
  int64_t v = r.svarint();
  if (v != int32_t(v))
    r.fail();
  return int32_t(v);
}

static std::vector<DimSpec> readDims(ByteReader &r) {
  std::vector<DimSpec> dims(r.count(2));
  for (DimSpec &dim : dims) {
    dim.kind = DimSpec::Kind(r.u8());
    dim.value = r.svarint();
  }
  return dims;
}

static ArtifactArg readArg(ByteReader &r) {
  ArtifactArg arg;
  arg.name = r.string();
  arg.kind = ArgKind(r.u8());
  uint32_t dtype = readU32(r);
  if (dtype > INT32_MAX)
    r.fail();
  arg.dtype = DType(int32_t(dtype));
  arg.extents = readDims(r);
  arg.strides = readDims(r);
  arg.optional = readBool(r);
  arg.distinct = readBool(r);
  arg.written = readBool(r);
  arg.hasDefault = readBool(r);
  arg.defaultInt = r.svarint();
  arg.defaultFloat = r.f64();
  arg.generator.kind = Generator::Kind(r.u8());
  arg.generator.low = r.f64();
  arg.generator.high = r.f64();
  arg.generator.lowArg = readS32(r);
  arg.generator.highArg = readS32(r);
  return arg;
}

static Expr readExpr(ByteReader &r) {
  Expr expr(r.count(2));
  for (ExprNode &node : expr) {
    node.op = ExprNode::Op(r.u8());
    node.value = r.svarint();
  }
  return expr;
}

static std::vector<Expr> readExprs(ByteReader &r) {
  std::vector<Expr> list;
  size_t count = r.count();
  for (size_t i = 0; i < count && r.ok(); ++i)
    list.push_back(readExpr(r));
  return list;
}

static Status readKernel(ByteReader r, Artifact &a) {
  a.kernel = r.string();
  a.buildId = r.string();
  // 32 bytes: the least an argument takes (three f64 and eleven fields of one byte or more).
  size_t args = r.count(32);
  for (size_t i = 0; i < args && r.ok(); ++i)
    a.args.push_back(readArg(r));
  size_t slots = r.count(3);
  for (size_t i = 0; i < slots && r.ok(); ++i) {
    KernargSlot slot;
    slot.kind = KernargSlot::Kind(r.u8());
    uint32_t arg = readU32(r);
    if (arg > UINT16_MAX)
      r.fail();
    slot.arg = uint16_t(arg);
    slot.axis = r.u8();
    a.slots.push_back(slot);
  }
  a.grid = readExprs(r);
  if (!r.ok() || !r.atEnd())
    BROKEN("the kernel section is malformed");
  return {};
}

static StepArg readStepArg(ByteReader &r) {
  StepArg arg;
  arg.kind = StepArg::Kind(r.u8());
  if (arg.kind == StepArg::Kind::Integer)
    arg.expr = readExpr(r);
  else if (arg.kind == StepArg::Kind::Float)
    arg.number = r.f64();
  else
    arg.index = readU32(r);
  return arg;
}

static Status readSteps(ByteReader r, Artifact &a) {
  size_t temporaries = r.count(2);
  for (size_t i = 0; i < temporaries && r.ok(); ++i) {
    ArtifactTemporary temporary;
    uint32_t dtype = readU32(r);
    if (dtype > INT32_MAX)
      r.fail();
    temporary.dtype = DType(int32_t(dtype));
    temporary.extents = readExprs(r);
    a.temporaries.push_back(std::move(temporary));
  }
  size_t steps = r.count(2);
  for (size_t i = 0; i < steps && r.ok(); ++i) {
    Step step;
    step.member = readU32(r);
    size_t args = r.count(2);
    for (size_t k = 0; k < args && r.ok(); ++k)
      step.args.push_back(readStepArg(r));
    a.steps.push_back(std::move(step));
  }
  if (!r.ok() || !r.atEnd() || a.steps.empty())
    BROKEN("the section of a sequence is malformed");
  return {};
}

static Status readLog(ByteReader r, Artifact &a) {
  size_t sites = r.count(4);
  for (size_t i = 0; i < sites && r.ok(); ++i) {
    LogSite site;
    site.isAssert = r.u8() != 0;
    site.line = readU32(r);
    site.message = r.string();
    size_t values = r.count(2);
    for (size_t k = 0; k < values && r.ok(); ++k) {
      LogSite::Value value;
      uint32_t dtype = readU32(r);
      if (dtype > INT32_MAX)
        r.fail();
      value.dtype = DType(int32_t(dtype));
      value.extents.resize(r.count());
      for (int64_t &extent : value.extents)
        extent = r.svarint();
      site.values.push_back(std::move(value));
    }
    a.logSites.push_back(std::move(site));
  }
  if (!r.ok() || !r.atEnd() || a.logSites.empty())
    BROKEN("the section of prints and asserts is malformed");
  return {};
}

static Status readCode(ByteReader r, Artifact &a) {
  TargetCode code;
  code.target = r.string();
  code.symbol = r.string();
  auto image = r.bytes();
  code.code.assign(image.begin(), image.end());
  auto object = r.bytes();
  code.object.assign(object.begin(), object.end());
  for (uint32_t *v : {&code.threads, &code.waveSize, &code.arenaBytes, &code.ldsBytes})
    *v = readU32(r);
  ResourceUse &use = code.use;
  for (uint32_t *v : {&use.vgprs, &use.agprs, &use.sgprs, &use.vgprSpills, &use.sgprSpills,
                      &use.ldsBytes, &use.scratchBytes, &use.occupancyWaves})
    *v = readU32(r);
  size_t listings = r.count(2);
  std::string previous;
  for (size_t i = 0; i < listings && r.ok(); ++i) {
    std::string name = r.string();
    if (i > 0 && name <= previous)
      r.fail();
    previous = name;
    code.listings.emplace(std::move(name), r.string());
  }
  if (!r.ok() || !r.atEnd())
    BROKEN("a code section is malformed");
  a.codes.push_back(std::move(code));
  return {};
}

static Status readLocationLists(std::span<const uint8_t> payload, Artifact &a);

static Status readLocations(std::span<const uint8_t> frame, Artifact &a) {
  ByteReader r(frame);
  uint32_t marker = r.u32();
  uint32_t zero = r.u32();
  uint64_t size = r.u64();
  if (!r.ok() || marker != kLocationMarker || zero != 0)
    BROKEN("the location section is missing or damaged");
  if (frame.size() < kLocationFrameBytes || size != frame.size() - kLocationFrameBytes)
    BROKEN("the location section is truncated, or bytes follow it");
  size_t checked = frame.size() - kChecksumBytes;
  uint64_t stored = ByteReader(frame.subspan(checked)).u64();
  if (stored != checksumBytes(frame.first(checked)))
    BROKEN("the checksum of the location section does not match");

  return readLocationLists(frame.subspan(16, size), a);
}

static Status readLocationLists(std::span<const uint8_t> payload, Artifact &a) {
  ByteReader r(payload);
  std::vector<std::string> files(r.count());
  for (std::string &file : files)
    file = r.string();
  size_t count = r.count(4);
  for (size_t i = 0; i < count && r.ok(); ++i) {
    LocationEntry entry;
    entry.line = readU32(r);
    uint64_t file = r.varint();
    if (file >= files.size()) {
      r.fail();
      break;
    }
    entry.source.file = files[file];
    entry.source.line = readU32(r);
    entry.source.column = readU32(r);
    a.locations.push_back(std::move(entry));
  }
  for (Artifact &member : a.members) {
    auto list = r.bytes();
    if (!r.ok())
      break;
    TL_TRY(readLocationLists(list, member));
  }
  if (!r.ok() || !r.atEnd())
    BROKEN("the location section is malformed");
  return {};
}

Result<size_t> artifactBodySize(std::span<const uint8_t> bytes) {
  if (bytes.size() < sizeof kMagic || !std::equal(kMagic, kMagic + sizeof kMagic, bytes.begin()))
    BROKEN("the bytes do not start as a .tlk file does");
  if (bytes.size() < kHeaderBytes)
    BROKEN("truncated in the header, at %zu bytes", bytes.size());
  ByteReader r(bytes.subspan(sizeof kMagic));
  uint32_t version = r.u32();
  r.u32();
  uint64_t bodySize = r.u64();
  if (bodySize < kHeaderBytes + kChecksumBytes || bodySize > bytes.size())
    BROKEN("truncated: %zu bytes of %llu and the locations", bytes.size(),
           (unsigned long long)bodySize);
  size_t checked = size_t(bodySize) - kChecksumBytes;
  uint64_t stored = ByteReader(bytes.subspan(checked)).u64();
  if (stored != checksumBytes(bytes.first(checked)))
    BROKEN("the checksum does not match");
  if (version > kArtifactVersion)
    return makeError(TL_E_VERSION,
                     "the artifact has format version %u; this library reads up to version %u",
                     version, kArtifactVersion);
  if (version == 0)
    BROKEN("format version 0 does not exist");
  return size_t(bodySize);
}

static Result<Artifact> readBody(std::span<const uint8_t> bytes, unsigned depth);

static Status readSection(uint32_t id, uint32_t flags, std::span<const uint8_t> bytes, Artifact &a,
                          unsigned depth) {
  switch (Section(id)) {
  case Section::Kernel:
    if (!a.kernel.empty())
      BROKEN("two kernel sections");
    return readKernel(ByteReader(bytes), a);
  case Section::Code:
    return readCode(ByteReader(bytes), a);
  case Section::Graph:
    if (!a.graph.empty())
      BROKEN("two graph sections");
    a.graph.assign(bytes.begin(), bytes.end());
    return {};
  case Section::Text:
    if (!a.text.empty())
      BROKEN("two text sections");
    a.text.assign(bytes.begin(), bytes.end());
    return {};
  case Section::Steps:
    if (a.isSequence())
      BROKEN("two sections of a sequence");
    return readSteps(ByteReader(bytes), a);
  case Section::Log:
    if (!a.logSites.empty())
      BROKEN("two sections of prints and asserts");
    return readLog(ByteReader(bytes), a);
  case Section::Member: {
    if (depth == 2) // a kernel of a sequence of a library
      BROKEN("members nest too deep");
    TL_ASSIGN(size_t size, artifactBodySize(bytes));
    if (size != bytes.size())
      BROKEN("bytes follow a member");
    TL_ASSIGN(Artifact member, readBody(bytes, depth + 1));
    a.members.push_back(std::move(member));
    return {};
  }
  }
  if (flags & kFlagOptional)
    return {};
  return makeError(TL_E_VERSION, "the artifact has a section of the unknown kind %u", id);
}

/// A body whose size and checksum are right.
static Result<Artifact> readBody(std::span<const uint8_t> bytes, unsigned depth) {
  auto body = bytes.first(bytes.size() - kChecksumBytes);
  ByteReader table(body.subspan(12));
  uint64_t sections = table.u32();
  table.u64();
  if (sections > (body.size() - kHeaderBytes) / kTableEntryBytes)
    BROKEN("the table of %llu sections does not fit", (unsigned long long)sections);

  Artifact a;
  uint64_t next = kHeaderBytes + sections * kTableEntryBytes;
  for (uint64_t i = 0; i < sections; ++i) {
    uint32_t id = table.u32();
    uint32_t flags = table.u32();
    uint64_t offset = table.u64();
    uint64_t size = table.u64();
    if (offset != next || size > body.size() - offset)
      BROKEN("section %llu is out of place", (unsigned long long)i);
    next = offset + size;
    TL_TRY(readSection(id, flags, body.subspan(offset, size), a, depth));
  }
  if (next != body.size())
    BROKEN("bytes follow the last section");
  return a;
}

Result<Artifact> readArtifact(std::span<const uint8_t> bytes) {
  TL_ASSIGN(size_t bodySize, artifactBodySize(bytes));
  TL_ASSIGN(Artifact a, readBody(bytes.first(bodySize), 0));
  TL_TRY(readLocations(bytes.subspan(bodySize), a));
  TL_TRY(validateArtifact(a));
  return a;
}

} // namespace tl
