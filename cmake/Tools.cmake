# Command-line tools, the source generator and the examples.
file(GLOB generator_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/graph/gen/*.cc)
add_executable(tl-gen ${generator_sources})
target_link_libraries(tl-gen PRIVATE tl_settings tl_graph)

file(GLOB tlc_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tools/tlc*.cc)
add_executable(tlc ${tlc_sources})
target_link_libraries(tlc PRIVATE tl_settings tilelang)
set_target_properties(tlc PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

if(TL_BUILD_EXAMPLES)
  # Plain C99 against the public headers, as a user would compile them.
  file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/c/*.c)
  foreach(source IN LISTS example_sources)
    cmake_path(GET source STEM name)
    add_executable(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name} C_STANDARD 99
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
    target_compile_options(example_${name} PRIVATE -Wall -Wextra -Werror)
    target_link_libraries(example_${name} PRIVATE tilelang m)
    list(APPEND example_programs example_${name})
  endforeach()
  # What `make demo` needs: no tests.
  set(opened_at_run_time tilelang_compiler tilelang_emu tilelang_hipemu)
  foreach(library IN LISTS opened_at_run_time)
    if(TARGET ${library})
      list(APPEND example_programs ${library})
    endif()
  endforeach()
  add_custom_target(demo_programs DEPENDS ${example_programs} tlc)
endif()
