#include "codegen/compiler_abi.h"

#include "codegen/codegen.h"
#include "codegen/llvm/provoke.h"
#include "support/build_id.h"
#include "support/error_bytes.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace tl;

namespace {

/// Hands bytes over in memory of malloc, so that the caller's free function needs no knowledge.
int32_t give(tl_compiler_output &output, tl_status status, std::span<const uint8_t> bytes) {
  output.bytes = static_cast<uint8_t *>(std::malloc(bytes.size() ? bytes.size() : 1));
  if (!output.bytes)
    return output.status = TL_E_OUT_OF_MEMORY;
  if (!bytes.empty())
    std::memcpy(output.bytes, bytes.data(), bytes.size());
  output.size = bytes.size();
  return output.status = status;
}

int32_t giveError(tl_compiler_output &output, const Error &error) {
  return give(output, error.status, encodeError(error));
}

void clear(tl_compiler_output &output) {
  size_t size = output.struct_size;
  output = {};
  output.struct_size = size;
}

int32_t compile(std::span<const uint8_t> bytes, tl_compiler_output &output) {
  Result<Request> request = decodeRequest(bytes);
  if (!request.ok())
    return giveError(output, request.error());
  BuildTiming timing;
  Result<Artifact> artifact = compileRequest(*request, timing);
  output.ms_passes = timing.passes;
  output.ms_llvm_opt = timing.llvmOpt;
  output.ms_llvm_codegen = timing.llvmCodegen;
  output.ms_link = timing.link;
  output.ms_total = timing.total;
  if (!artifact.ok())
    return giveError(output, artifact.error());
  return give(output, TL_OK, writeArtifact(*artifact));
}

} // namespace

extern "C" {

int32_t tl_compiler_compile(const uint8_t *request, size_t size, tl_compiler_output *output) {
  if (!output || output->struct_size != sizeof(*output) || (!request && size))
    return TL_E_INVALID_ARGUMENT;
  clear(*output);
  try {
    return compile({request, size}, *output);
  } catch (const std::bad_alloc &) {
    return output->status = TL_E_OUT_OF_MEMORY;
  }
}

void tl_compiler_free(tl_compiler_output *output) {
  if (!output)
    return;
  std::free(output->bytes);
  clear(*output);
}

const char *tl_compiler_build_id(void) { return buildId(); }

int32_t tl_compiler_provoke(int32_t which, tl_compiler_output *output) {
  if (!output || output->struct_size != sizeof(*output) || which < 1 || which > 4)
    return TL_E_INVALID_ARGUMENT;
  clear(*output);
  Status status = provokeFailure(Provocation(which));
  return status.ok() ? TL_OK : giveError(*output, status.error());
}

} // extern "C"
