# The build id names the exact sources: version plus a hash over src/ and include/. Both libraries
# carry it and must agree, and caches use it as part of their keys, so that a changed compiler never reuses old code.
file(GLOB_RECURSE build_id_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.cc ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/src/*.def
  ${PROJECT_SOURCE_DIR}/include/*.h)
# The tools and the emulator never make or read an artifact.
list(FILTER build_id_sources EXCLUDE REGEX "/src/(tools|emu|hipemu)/")
set(build_id_source ${CMAKE_BINARY_DIR}/generated/build_id.cc)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/build_id_sources.txt CONTENT "$<JOIN:${build_id_sources},\n>\n")
add_custom_command(OUTPUT ${build_id_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${build_id_source} -DVERSION=${PROJECT_VERSION} -DROOT=${PROJECT_SOURCE_DIR}
    -DLIST=${CMAKE_BINARY_DIR}/generated/build_id_sources.txt -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
  DEPENDS ${build_id_sources} ${CMAKE_BINARY_DIR}/generated/build_id_sources.txt
    ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
  COMMENT "Hashing the sources" VERBATIM)
add_library(tl_build_id STATIC ${build_id_source})
target_link_libraries(tl_build_id PRIVATE tl_settings)
