# make install: libraries, headers, tlc, pkg-config file and CMake package; all relocatable.
include(CMakePackageConfigHelpers)

install(TARGETS tilelang tilelang_static EXPORT tilelangTargets)
if(TARGET tilelang_compiler)
  # Found beside libtilelang.so, or by its name.
  install(TARGETS tilelang_compiler LIBRARY NAMELINK_SKIP)
endif()
install(TARGETS tilelang_hipemu LIBRARY NAMELINK_SKIP)
if(TARGET tilelang_emu)
  install(TARGETS tilelang_emu LIBRARY NAMELINK_SKIP)
endif()
install(TARGETS tlc tl-bench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES ${PROJECT_SOURCE_DIR}/docs/ops.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tilelang)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilelang
  FILES_MATCHING PATTERN "*.tile" PATTERN "*.[ch]")

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/tilelang)
install(EXPORT tilelangTargets NAMESPACE tilelang:: DESTINATION ${package_directory})
file(WRITE ${CMAKE_BINARY_DIR}/generated/tilelangConfig.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/tilelangTargets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/tilelangConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/tilelangConfig.cmake
  ${CMAKE_BINARY_DIR}/generated/tilelangConfigVersion.cmake DESTINATION ${package_directory})

# tilelang.pc names everything relative to where it lies itself.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tilelang.pc.in ${CMAKE_BINARY_DIR}/generated/tilelang.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/tilelang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
