#include "codegen/amdgpu/code_object.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

namespace tl::amdgpu {

using llvm::object::ELF64LEFile;

/// The MessagePack text of the metadata note; empty if there is none.
static llvm::StringRef metadataNote(const ELF64LEFile &file) {
  llvm::StringRef found;
  auto headers = file.program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return found;
  }
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file.notes(header, error))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        found = note.getDescAsStringRef(header.p_align);
    llvm::consumeError(std::move(error));
  }
  return found;
}

Result<KernelMetadata> readKernelMetadata(std::span<const uint8_t> codeObject,
                                          std::string_view name) {
  auto file = ELF64LEFile::create(
      llvm::StringRef(reinterpret_cast<const char *>(codeObject.data()), codeObject.size()));
  if (!file) {
    std::string text = llvm::toString(file.takeError());
    return internalError("the linked code object is not an ELF file: %s", text.c_str());
  }
  llvm::msgpack::Document document;
  llvm::StringRef note = metadataNote(*file);
  if (note.empty() || !document.readFromBlob(note, false) || !document.getRoot().isMap())
    return internalError("the linked code object has no readable metadata");
  llvm::msgpack::DocNode kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (kernels.isArray())
    for (llvm::msgpack::DocNode node : kernels.getArray()) {
      llvm::msgpack::MapDocNode kernel = node.getMap();
      auto number = [&](const char *key) -> uint32_t {
        llvm::msgpack::DocNode value = kernel[key];
        return value.getKind() == llvm::msgpack::Type::UInt  ? uint32_t(value.getUInt())
               : value.getKind() == llvm::msgpack::Type::Int ? uint32_t(value.getInt())
                                                             : 0;
      };
      if (!kernel[".name"].isString() ||
          kernel[".name"].getString() != llvm::StringRef(name.data(), name.size()))
        continue;
      KernelMetadata metadata;
      metadata.use.vgprs = number(".vgpr_count");
      metadata.use.agprs = number(".agpr_count");
      metadata.use.sgprs = number(".sgpr_count");
      metadata.use.vgprSpills = number(".vgpr_spill_count");
      metadata.use.sgprSpills = number(".sgpr_spill_count");
      metadata.use.ldsBytes = number(".group_segment_fixed_size");
      metadata.use.scratchBytes = number(".private_segment_fixed_size");
      metadata.kernargBytes = number(".kernarg_segment_size");
      metadata.waveSize = number(".wavefront_size");
      return metadata;
    }
  return internalError("the linked code object's metadata has no kernel '%s'",
                       std::string(name).c_str());
}

} // namespace tl::amdgpu
