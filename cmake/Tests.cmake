# Functions that declare tests. Each test program is a CTest test with a time limit; `scripts/run_tests` sums up
# the single cases that the programs report.

# shoal_test_program(name [sources...]): tests/<name>.c is a cmocka program of its own. Names begin with test_, which
# tells `scripts/run_tests` to count the cases that the program reports.
function(shoal_test_program name)
  add_executable(${name} ${name}.c ${ARGN})
  target_link_libraries(${name} PRIVATE shoal_test_support)
  add_test(NAME ${name} COMMAND ${SHOAL_TEST_RUNNER} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${SHOAL_TEST_TIMEOUT})
endfunction()

# shoal_test_script(name script arguments...): a script that passes by exiting with 0.
function(shoal_test_script name script)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${SHOAL_TEST_TIMEOUT} LABELS script)
endfunction()

# shoal_snippets(document): the programs in a Markdown file, as `scripts/extract_snippets` finds them, are built with
# the rest and run; the output must be the text block that follows.
function(shoal_snippets document)
  set(source ${PROJECT_SOURCE_DIR}/${document})
  if(NOT EXISTS ${source})
    message(STATUS "  snippets: ${document} is not there")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/snippets)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/extract_snippets ${source} ${directory}
                  OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  foreach(name IN LISTS names)
    file(STRINGS ${directory}/${name}.c hashes REGEX "shoal_world_hash\\(")
    if(hashes AND NOT SHOAL_HAVE_XXHASH)
      continue() # it would print that it cannot
    endif()
    add_executable(snippet_${name} ${directory}/${name}.c)
    target_link_libraries(snippet_${name} PRIVATE shoal::shoal)
    add_dependencies(snippets snippet_${name})
    shoal_test_script(conf_P1_snippet_${name} scripts/run_snippet $<TARGET_FILE:snippet_${name}> ${directory}/${name}.expected)
  endforeach()
endfunction()
