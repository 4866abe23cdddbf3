# Install and export: headers, the library, a CMake package (find_package(shoal), target shoal::shoal) and a
# pkg-config file. Both find their way from their own place, so the installed tree may be moved.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
configure_package_config_file(cmake/shoal-config.cmake.in ${PROJECT_BINARY_DIR}/shoal-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/shoal-config-version.cmake COMPATIBILITY SameMinorVersion)

cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE lib_dir)
file(RELATIVE_PATH prefix_from_pkgconfig ${lib_dir}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/shoal.pc.in ${PROJECT_BINARY_DIR}/shoal.pc @ONLY)

install(TARGETS shoal EXPORT shoal-targets)
install(EXPORT shoal-targets NAMESPACE shoal:: DESTINATION ${package_dir})
install(DIRECTORY include/shoal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/shoal-config.cmake ${PROJECT_BINARY_DIR}/shoal-config-version.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/shoal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET shoal_tool)
  install(TARGETS shoal_tool)
endif()
