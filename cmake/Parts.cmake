# The record of which parts of the project are built and which are off, for the summary of the configuration.

function(shoal_part_on name)
  set_property(GLOBAL APPEND PROPERTY shoal_parts "  ${name}: on")
endfunction()

function(shoal_part_off name reason)
  set_property(GLOBAL APPEND PROPERTY shoal_parts "  ${name}: off, ${reason}")
endfunction()

function(shoal_part_summary)
  if(BUILD_SHARED_LIBS)
    set(kind shared)
  else()
    set(kind static)
  endif()
  message(STATUS "Shoal ${PROJECT_VERSION}, ${kind}, ${CMAKE_BUILD_TYPE}, ${CMAKE_C_COMPILER_ID} "
                 "${CMAKE_C_COMPILER_VERSION}")
  get_property(lines GLOBAL PROPERTY shoal_parts)
  foreach(line IN LISTS lines)
    message(STATUS "${line}")
  endforeach()
endfunction()
