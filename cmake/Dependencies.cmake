# What the library itself links with: the system's threads, and hwloc where it is found (SHOAL_HWLOC).
#
# A program that links with a static Shoal links with these as well, so they go into the package that is installed:
# shoal_package_finds is code of its CMake package, shoal_pc_requires and shoal_pc_libs are lines of its pkg-config
# file. A shared Shoal has them inside.

# Both targets are global, so that a project that has Shoal as a subdirectory can link with it from outside.
if(NOT TARGET Threads::Threads)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  set_target_properties(Threads::Threads PROPERTIES IMPORTED_GLOBAL TRUE)
endif()

set(SHOAL_WITH_HWLOC OFF)
if(SHOAL_HWLOC)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(hwloc QUIET IMPORTED_TARGET GLOBAL hwloc>=2.0)
  endif()
  if(TARGET PkgConfig::hwloc)
    set(SHOAL_WITH_HWLOC ON)
  elseif(NOT SHOAL_HWLOC STREQUAL "AUTO")
    message(FATAL_ERROR "SHOAL_HWLOC is on, and pkg-config does not find hwloc 2 (libhwloc-dev)")
  endif()
endif()
if(SHOAL_WITH_HWLOC)
  shoal_part_on("hwloc")
elseif(SHOAL_HWLOC)
  shoal_part_off("hwloc" "hwloc 2 not found (libhwloc-dev, pkg-config)")
else()
  shoal_part_off("hwloc" "SHOAL_HWLOC is off")
endif()

set(shoal_package_finds "")
set(shoal_pc_requires "")
set(shoal_pc_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(shoal_package_finds "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n")
  if(CMAKE_THREAD_LIBS_INIT)
    set(shoal_pc_libs " ${CMAKE_THREAD_LIBS_INIT}")
  endif()
  if(SHOAL_WITH_HWLOC)
    string(APPEND shoal_package_finds
      "find_dependency(PkgConfig)\npkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.0)\n")
    set(shoal_pc_requires "hwloc >= 2.0")
  endif()
endif()
