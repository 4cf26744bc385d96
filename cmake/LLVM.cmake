# LLVM 22 and lld as two interface libraries: tl_llvm_shared (libLLVM-22.so) and tl_llvm_static (archives).
find_package(LLVM 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22 NO_DEFAULT_PATH)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
foreach(directory IN LISTS LLVM_LIBRARY_DIRS)
  find_library(TL_LLD_ELF lldELF PATHS ${directory} NO_DEFAULT_PATH REQUIRED)
  find_library(TL_LLD_COMMON lldCommon PATHS ${directory} NO_DEFAULT_PATH REQUIRED)
endforeach()

add_library(tl_llvm_headers INTERFACE)
target_include_directories(tl_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(tl_llvm_headers INTERFACE ${llvm_definitions})

add_library(tl_llvm_shared INTERFACE)
target_link_libraries(tl_llvm_shared INTERFACE ${TL_LLD_ELF} ${TL_LLD_COMMON} LLVM ZLIB::ZLIB zstd::libzstd_shared)

# Static: only the targets we generate code for; src/codegen/llvm/unused_targets.cc keeps the others out.
set(TL_LLVM_TARGETS amdgpu nvptx x86)
execute_process(
  COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles ${TL_LLVM_TARGETS} passes lto dtlto option
  OUTPUT_VARIABLE static_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(static_archives NATIVE_COMMAND "${static_archives}")
# LLVM names its plug-ins, which unused_targets.cc leaves out; their archives are another package's.
list(FILTER static_archives EXCLUDE REGEX "/libPolly")
find_library(TL_ZSTD_STATIC libzstd.a REQUIRED)
find_library(TL_ZLIB_STATIC libz.a REQUIRED)
add_library(tl_llvm_static INTERFACE)
target_link_libraries(tl_llvm_static INTERFACE
  -Wl,--start-group ${TL_LLD_ELF} ${TL_LLD_COMMON} ${static_archives} -Wl,--end-group
  ${TL_ZSTD_STATIC} ${TL_ZLIB_STATIC} rt m)

# The emulator's part: disassembler of AMDGPU.
execute_process(
  COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles
          amdgpudisassembler amdgpudesc amdgpuinfo mc
  OUTPUT_VARIABLE emulator_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(emulator_archives NATIVE_COMMAND "${emulator_archives}")
add_library(tl_llvm_emulator INTERFACE)
target_link_libraries(tl_llvm_emulator INTERFACE -Wl,--start-group ${emulator_archives} -Wl,--end-group rt m)
