#include "emu/kernel_record.h"

#include "emu/chips.h"
#include "emu/demangle.h"
#include "emu/msgpack.h"

#include <algorithm>

namespace tl::emu {
namespace {

constexpr uint32_t kMostKernargBytes = 1 << 16;

ErrorPtr lie(const std::string &kernel, const char *what) {
  return makeError(TL_E_CORRUPT, "the code object's metadata is wrong: kernel %s: %s",
                   kernel.c_str(), what);
}

uint32_t small(const MessageValue &value, uint32_t otherwise = 0) {
  return uint32_t(std::min<uint64_t>(value.integerOr(otherwise), UINT32_MAX));
}

Status readArguments(const MessageValue &list, KernelInfo &info) {
  for (const MessageValue &item : list.items) {
    KernelArgument argument{item[".name"].string, small(item[".offset"], UINT32_MAX),
                            small(item[".size"], UINT32_MAX), item[".value_kind"].string};
    if (argument.offset > info.kernargBytes || argument.bytes > info.kernargBytes - argument.offset)
      return lie(info.name, "an argument lies outside of the kernel argument block");
    if (!argument.hidden())
      info.explicitBytes = std::max(info.explicitBytes, argument.offset + argument.bytes);
    info.arguments.push_back(std::move(argument));
  }
  std::stable_sort(info.arguments.begin(), info.arguments.end(),
                   [](const auto &a, const auto &b) { return a.offset < b.offset; });
  for (size_t i = 1; i < info.arguments.size(); ++i)
    if (info.arguments[i].offset < info.arguments[i - 1].offset + info.arguments[i - 1].bytes)
      return lie(info.name, "two arguments overlap");
  return {};
}

Status readDescriptor(const CodeObject &object, const std::string &symbol, KernelRecord &record) {
  const std::string &name = record.info.name;
  const CodeSymbol *place = object.findSymbol(symbol);
  if (!place)
    return lie(name, "it has no descriptor");
  auto bytes = object.contents(place->address, sizeof(KernelDescriptor));
  if (bytes.empty())
    return lie(name, "its descriptor lies outside");
  std::memcpy(&record.descriptor, bytes.data(), sizeof(KernelDescriptor));
  record.descriptorAddress = place->address;
  record.entryAddress = place->address + uint64_t(record.descriptor.entryOffset);
  for (const CodeSegment &code : object.code)
    if (record.entryAddress >= code.address &&
        record.entryAddress - code.address < code.memoryBytes && record.entryAddress % 4 == 0)
      return {};
  return lie(name, "its entry point lies outside of the code");
}

Status checkAgainstDescriptor(const KernelRecord &record, const Chip &chip) {
  const KernelInfo &info = record.info;
  const KernelDescriptor &descriptor = record.descriptor;
  if (descriptor.kernargBytes && descriptor.kernargBytes != info.kernargBytes)
    return lie(info.name, "the size of its argument block is not that of its descriptor");
  if (descriptor.ldsBytes != info.ldsBytes)
    return lie(info.name, "its LDS size is not that of its descriptor");
  if (descriptor.privateBytes != info.privateBytes)
    return lie(info.name, "its scratch size is not that of its descriptor");
  bool wave32 = descriptor.has(KernelDescriptor::Wave32);
  if (wave32 && !chip.has(BothWaveSizes))
    return lie(info.name, "it wants waves of 32, which this chip does not have");
  if (info.waveSize != (wave32 ? 32u : 64u))
    return lie(info.name, "its wave size is not that of its descriptor");
  constexpr uint32_t mostVectors = 512, mostScalars = 128; // of both kinds, on any chip
  if (info.vgprs > mostVectors || info.agprs > mostVectors || info.sgprs > mostScalars)
    return lie(info.name, "it has more registers than any chip");
  if (info.kernargBytes > kMostKernargBytes || info.privateBytes > 1 << 20)
    return lie(info.name, "its argument block or scratch is larger than any chip allows");
  return {};
}

} // namespace

Result<std::vector<KernelRecord>> readKernels(const CodeObject &object, const Chip &chip) {
  std::vector<KernelRecord> kernels;
  if (object.metadata.empty())
    return makeError(TL_E_CORRUPT, "the code object has no metadata");
  TL_ASSIGN(MessageValue root, readMessage(object.metadata));
  for (const MessageValue &item : root["amdhsa.kernels"].items) {
    KernelRecord record = {};
    KernelInfo &info = record.info;
    info.name = item[".name"].string;
    record.shownName = demangle(info.name);
    info.kernargBytes = small(item[".kernarg_segment_size"]);
    info.kernargAlignment = std::max(small(item[".kernarg_segment_align"]), 1u);
    info.ldsBytes = small(item[".group_segment_fixed_size"]);
    info.privateBytes = small(item[".private_segment_fixed_size"]);
    info.waveSize = small(item[".wavefront_size"]);
    info.vgprs = small(item[".vgpr_count"]);
    info.agprs = small(item[".agpr_count"]);
    info.sgprs = small(item[".sgpr_count"]);
    info.vgprSpills = small(item[".vgpr_spill_count"]);
    info.sgprSpills = small(item[".sgpr_spill_count"]);
    info.maxThreads = std::min(small(item[".max_flat_workgroup_size"], chip.info.maxThreads),
                               chip.info.maxThreads);
    const auto &required = item[".reqd_workgroup_size"].items;
    for (size_t axis = 0; axis < 3 && axis < required.size(); ++axis)
      info.requiredThreads[axis] = small(required[axis]);
    record.dynamicStack = item[".uses_dynamic_stack"].integerOr(0) != 0;
    std::string symbol = item[".symbol"].string;
    if (info.name.empty() || symbol.empty())
      return makeError(TL_E_CORRUPT, "the code object's metadata is wrong: a kernel has no name");
    if (std::any_of(info.name.begin(), info.name.end(),
                    [](char c) { return uint8_t(c) < ' ' || c == 127; }))
      return makeError(TL_E_CORRUPT, "the code object's metadata is wrong: the name of a kernel "
                                     "has control characters");
    if (info.kernargBytes > kMostKernargBytes)
      return lie(info.name, "its argument block is larger than any chip allows");
    TL_TRY(readArguments(item[".args"], info));
    TL_TRY(readDescriptor(object, symbol, record));
    TL_TRY(checkAgainstDescriptor(record, chip));
    kernels.push_back(std::move(record));
  }
  return kernels;
}

} // namespace tl::emu
