# One static library per directory of src/, then the two shared libraries and the static one.

# tl_layer(<name> <dependencies>): tl_<name> from src/<name>/*.cc (recursively, without generators).
function(tl_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/src/graph/gen/|/codegen/llvm/unused_targets\\.cc$")
  add_library(tl_${name} STATIC ${sources})
  target_link_libraries(tl_${name} PRIVATE tl_settings)
  list(TRANSFORM ARGN PREPEND tl_)
  target_link_libraries(tl_${name} PUBLIC ${ARGN})
endfunction()

tl_layer(support build_id)
tl_layer(artifact support)
tl_layer(graph artifact support)
# Nothing of a launch is in it, and half of libtilelang is: made small.
target_compile_options(tl_graph PRIVATE $<$<CONFIG:Release>:-Os>)
tl_layer(interp graph support)
# The reference rounds every operation, also where the compiler's target has fma.
target_compile_options(tl_interp PRIVATE -ffp-contract=off)
tl_layer(layout support)
tl_layer(passes graph layout support)
tl_layer(driver artifact support)
tl_layer(capi driver artifact interp graph support)

# libtilelang.so: no LLVM inside.
# The public declarations carry no attributes: the version script alone says what is exported.
set_target_properties(tl_capi PROPERTIES CXX_VISIBILITY_PRESET default)
set(exports ${PROJECT_SOURCE_DIR}/src/capi/exports.map)
add_library(tilelang SHARED $<TARGET_OBJECTS:tl_capi>)
target_link_libraries(tilelang PRIVATE tl_settings tl_capi)
target_include_directories(tilelang INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(tilelang PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${exports})
target_link_options(tilelang PRIVATE -Wl,-z,defs -Wl,--version-script=${exports})
if(TL_LLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # Equal functions once; nothing here compares addresses of functions. GDB stops at its own one.
  target_link_options(tilelang PRIVATE -Wl,--icf=all -Wl,--keep-unique=__jit_debug_register_code)
endif()
if(TL_STATIC_RUNTIME)
  target_link_options(tilelang PRIVATE -static-libstdc++ -static-libgcc)
endif()
tl_record_archives(tilelang)

# libtilelang.a: every object of the shared library.
add_library(tilelang_static STATIC $<TARGET_OBJECTS:tl_build_id>)
foreach(layer support graph interp artifact driver capi)
  target_sources(tilelang_static PRIVATE $<TARGET_OBJECTS:tl_${layer}>)
endforeach()
set_target_properties(tilelang_static PROPERTIES OUTPUT_NAME tilelang LINKER_LANGUAGE CXX)
target_include_directories(tilelang_static INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tilelang_static INTERFACE stdc++ m dl pthread)

if(NOT TL_BUILD_COMPILER)
  return()
endif()

tl_layer(codegen passes layout graph artifact support)
target_link_libraries(tl_codegen PRIVATE tl_llvm_headers)
# LLVM is built without exceptions; ours are only the fatal-error handler's, caught before LLVM's frames end.
target_precompile_headers(tl_codegen PRIVATE ${PROJECT_SOURCE_DIR}/src/codegen/llvm/pch.h)
target_compile_options(tl_codegen PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)

# tl_compiler_library(<target> shared|static <output directory>): libtilelang-compiler.so, LLVM linked as said.
function(tl_compiler_library target kind directory)
  set(exports ${PROJECT_SOURCE_DIR}/src/codegen/exports.map)
  add_library(${target} SHARED)
  if(kind STREQUAL static)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/codegen/llvm/unused_targets.cc)
    # LLVM's static constructors lie together, so that loading the library touches few pages of its code.
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,keep-text-section-prefix)
  elseif(TL_STATIC_RUNTIME)
    message(FATAL_ERROR "TL_STATIC_RUNTIME needs TL_LLVM=static: libLLVM-22.so uses the shared libstdc++")
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tl_codegen>)
  target_link_libraries(${target} PRIVATE tl_settings tl_llvm_headers tl_codegen tl_llvm_${kind})
  target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,nodelete -Wl,--exclude-libs,ALL
    -Wl,--version-script=${exports})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME tilelang-compiler LINK_DEPENDS ${exports}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${directory})
endfunction()

tl_compiler_library(tilelang_compiler ${TL_LLVM} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
tl_record_archives(tilelang_compiler)
if(TL_LLVM STREQUAL shared)
  # The same objects with LLVM hidden inside, for the tests of that and for figures.
  tl_compiler_library(tilelang_compiler_static static ${CMAKE_BINARY_DIR}/static)
  set_target_properties(tilelang_compiler_static PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
