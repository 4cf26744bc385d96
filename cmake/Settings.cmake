# Compiler and linker settings of all our code.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, RelWithDebInfo (asserts on) or Release" FORCE)
endif()
# The daily build keeps asserts; Release drops them.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_package(Threads REQUIRED)

find_program(TL_CCACHE ccache)
if(TL_CCACHE)
  # The sloppiness is what ccache asks for to cache builds with a precompiled header.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TL_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# lld links the static LLVM in one second instead of six; it is there wherever liblld is.
find_program(TL_LLD ld.lld PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
if(TL_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  cmake_path(GET TL_LLD PARENT_PATH lld_dir)
  add_link_options(-B${lld_dir} -fuse-ld=lld)
endif()

# tl_record_archives(<target>): a release build writes which archives the target took objects of, as lld says it, to
# link/<file>.tsv: what the bundle's list of components (sbom.py) is made from.
function(tl_record_archives target)
  if(TL_STATIC_RUNTIME AND TL_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/link)
    target_link_options(${target} PRIVATE
      -Wl,--print-archive-stats=${CMAKE_BINARY_DIR}/link/$<TARGET_FILE_NAME:${target}>.tsv)
  endif()
endfunction()

# Settings for code that is ours: linked PRIVATE by each of our targets.
add_library(tl_settings INTERFACE)
target_compile_options(tl_settings INTERFACE
  -Wall -Wextra -Werror -fno-semantic-interposition -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
  # libstdc++ 12 uses what it deprecates itself, and Clang says so where templates are instantiated.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
target_include_directories(tl_settings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_options(tl_settings INTERFACE -Wl,--gc-sections)
target_link_libraries(tl_settings INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

if(TL_SANITIZE)
  # Sanitized code is for finding faults, not for speed: what compiles quickest and still names lines.
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  add_library(tl_sanitize INTERFACE)
  target_compile_options(tl_sanitize INTERFACE
    -fsanitize=${TL_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TL_SANITIZE})
  target_link_libraries(tl_settings INTERFACE tl_sanitize)
endif()
