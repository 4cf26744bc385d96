#include "emu/arguments.h"

#include <algorithm>

namespace tl::emu {
namespace {

// hsa_kernel_dispatch_packet_t.
struct DispatchPacket {
  uint16_t header, setup, groupSize[3], reserved0;
  uint32_t gridSize[3], privateBytes, groupBytes;
  uint64_t kernelObject, kernarg, reserved1, completion;
};
static_assert(sizeof(DispatchPacket) == 64);

// Where amd_queue_t keeps the upper halves of the apertures, for code of version 4.
constexpr uint32_t kQueueBytes = 256, kQueueShared = 0x40, kQueuePrivate = 0x44;

uint32_t dimensions(const LaunchRequest &request) {
  for (unsigned axis = 2; axis > 0; --axis)
    if (gridThreads(request, axis) > 1)
      return axis + 1;
  return 1;
}

// The value of a hidden argument ("Code Object V5 Metadata", .value_kind). False: not one that is
// given, its bytes stay unwritten.
bool hiddenValue(const LaunchContext &context, const std::string &kind, uint64_t &value) {
  const LaunchRequest &request = *context.request;
  auto axisOf = [&](const char *prefix, unsigned &axis) {
    size_t length = std::strlen(prefix);
    if (kind.size() != length + 2 || kind.compare(0, length, prefix) != 0 || kind[length] != '_')
      return false;
    axis = unsigned(kind[length + 1] - 'x');
    return axis < 3;
  };
  unsigned axis = 0;
  if (axisOf("hidden_block_count", axis))
    value = request.grid[axis] - (request.remainder[axis] ? 1 : 0);
  else if (axisOf("hidden_group_size", axis))
    value = request.block[axis];
  else if (axisOf("hidden_remainder", axis))
    value = request.remainder[axis];
  else if (axisOf("hidden_global_offset", axis))
    value = 0;
  else if (kind == "hidden_grid_dims")
    value = dimensions(request);
  else if (kind == "hidden_private_base")
    value = kPrivateAperture >> 32;
  else if (kind == "hidden_shared_base")
    value = kSharedAperture >> 32;
  else if (kind == "hidden_dynamic_lds_size")
    value = request.dynamicLds;
  else if (kind == "hidden_queue_ptr" || kind == "hidden_default_queue")
    value = context.queueAddress;
  else if (kind == "hidden_none" || kind == "hidden_hostcall_buffer" ||
           kind == "hidden_printf_buffer" || kind == "hidden_heap_v1" ||
           kind == "hidden_multigrid_sync_arg" || kind == "hidden_completion_action")
    value = 0; // services that are absent
  else
    return false;
  return true;
}

} // namespace

uint64_t gridThreads(const LaunchRequest &request, unsigned axis) {
  return request.remainder[axis]
             ? uint64_t(request.grid[axis] - 1) * request.block[axis] + request.remainder[axis]
             : uint64_t(request.grid[axis]) * request.block[axis];
}

LaunchMemory::~LaunchMemory() {
  if (block)
    space.release(block->address);
}

bool LaunchMemory::fill(LaunchContext &context, uint32_t device) {
  const LaunchRequest &request = *context.request;
  const KernelInfo &info = context.record->info;
  uint32_t argumentBytes = (info.kernargBytes + 255) & ~255u;
  block = space.allocate(argumentBytes + sizeof(DispatchPacket) + kQueueBytes, MemoryKind::Device,
                         device, true);
  if (!block)
    return false;
  block->races = nullptr; // of this launch alone
  context.kernargAddress = block->address;
  context.packetAddress = block->address + argumentBytes;
  context.queueAddress = context.packetAddress + sizeof(DispatchPacket);
  auto write = [&](uint64_t offset, const void *bytes, uint64_t count) {
    std::memcpy(block->host + offset, bytes, count);
    std::memset(block->shadow + offset, ShadowWritten, count);
  };
  // What no argument covers stays unwritten, so that reading it is found.
  std::memset(block->host, 0xc7, argumentBytes);
  for (const KernelArgument &argument : info.arguments) {
    uint64_t value = 0;
    if (!argument.hidden())
      write(argument.offset, static_cast<const uint8_t *>(request.kernarg) + argument.offset,
            argument.bytes);
    else if (hiddenValue(context, argument.valueKind, value))
      write(argument.offset, &value, std::min<uint64_t>(argument.bytes, 8));
  }
  DispatchPacket packet = {};
  packet.header = 2; // HSA_PACKET_TYPE_KERNEL_DISPATCH
  packet.setup = uint16_t(dimensions(request));
  for (unsigned axis = 0; axis < 3; ++axis) {
    packet.groupSize[axis] = uint16_t(request.block[axis]);
    packet.gridSize[axis] = uint32_t(gridThreads(request, axis));
  }
  packet.privateBytes = context.scratchBytes;
  packet.groupBytes = context.ldsUsed;
  packet.kernelObject = context.codeBase + context.record->descriptorAddress;
  packet.kernarg = context.kernargAddress;
  write(argumentBytes, &packet, sizeof(packet));
  uint8_t queue[kQueueBytes] = {};
  uint32_t shared = kSharedAperture >> 32, priv = kPrivateAperture >> 32;
  std::memcpy(queue + kQueueShared, &shared, 4);
  std::memcpy(queue + kQueuePrivate, &priv, 4);
  write(argumentBytes + sizeof(packet), queue, sizeof(queue));
  context.kernarg.resize(argumentBytes / 4);
  if (argumentBytes)
    std::memcpy(context.kernarg.data(), block->host, argumentBytes);
  return true;
}

} // namespace tl::emu
