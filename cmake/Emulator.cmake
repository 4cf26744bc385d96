# libtilelang-emu.so: the AMDGPU emulator (src/emu), which shares nothing but src/support with the rest.
if(NOT TL_BUILD_EMULATOR)
  return()
endif()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/emu/*.cc)
add_library(tl_emu STATIC ${sources})
target_link_libraries(tl_emu PRIVATE tl_settings tl_llvm_headers PUBLIC tl_support)
target_compile_options(tl_emu PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math)
# All but the entry point, which tells an older CPU so.
list(FILTER sources EXCLUDE REGEX "/emu/create\\.cc$")
set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v3)
# The declaration carries no attribute: the version script alone says what is exported.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/emu/create.cc PROPERTIES COMPILE_OPTIONS -fvisibility=default)
# One loop over lanes for each instruction: worth vectorizing, and debug information of it is not
# worth the time it takes to write.
list(FILTER sources INCLUDE REGEX "/emu/(isa|matrix)/|/emu/(operands|lane_memory|buffer)\\.cc$")
set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O3 -g1)

set(exports ${PROJECT_SOURCE_DIR}/src/emu/exports.map)
add_library(tilelang_emu SHARED $<TARGET_OBJECTS:tl_emu>)
set(zstd zstd::libzstd_shared)
if(TL_LLVM STREQUAL static)
  set(zstd ${TL_ZSTD_STATIC})
  target_link_options(tilelang_emu PRIVATE -static-libstdc++ -static-libgcc)
  # The registry of targets reaches the others only by name: no empty definitions are needed here.
  target_link_libraries(tilelang_emu PRIVATE tl_settings tl_support tl_llvm_emulator ${zstd} ${TL_ZLIB_STATIC})
else()
  target_link_libraries(tilelang_emu PRIVATE tl_settings tl_support LLVM ${zstd} ZLIB::ZLIB)
endif()
target_link_options(tilelang_emu PRIVATE -Wl,-z,defs -Wl,--exclude-libs,ALL -Wl,--version-script=${exports})
set_target_properties(tilelang_emu PROPERTIES OUTPUT_NAME tilelang-emu LINK_DEPENDS ${exports}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(tilelang_emu INTERFACE ${PROJECT_SOURCE_DIR}/src)
tl_record_archives(tilelang_emu)
