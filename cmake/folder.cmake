# What tests are compiled with. Property tests are template-heavy: without this they take most of the build's time,
# sanitized above all. (UndefinedBehaviorSanitizer watches what is tested, not the tests.)
if(TIDEGATE_OPT STREQUAL "-O0")
  set(TIDEGATE_COLD_OPTIONS "")
  set(TIDEGATE_TEST_OPTIONS "")
else()
  set(TIDEGATE_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
  set(TIDEGATE_TEST_OPTIONS $<IF:$<CONFIG:Debug>,-O0$<SEMICOLON>-fno-sanitize=undefined,-O1>)
endif()

function(tidegate_test_program target)
  target_compile_options(${target} PRIVATE ${TIDEGATE_TEST_OPTIONS})
endfunction()

# Several sources at a time: most of a source's time goes into the headers it shares with its neighbours.
option(TIDEGATE_UNITY "Compile sources in batches: a cold build takes half the time, one after an edit longer" OFF)
function(tidegate_batches target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TIDEGATE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()
function(tidegate_alone)
  set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tidegate_folder(path [COLD] [DEPS folder...] [LIBS library...])
#
# Makes the library tidegate_<path with _> of src/<path>/*.cpp, and, of *_test.cpp there, the test program
# tidegate_<path>_test, each of whose cases is a ctest test <path with _>.<suite>.<case>. COLD: that it compiles soon
# matters more than its speed.
function(tidegate_folder path)
  cmake_parse_arguments(ARG "COLD" "" "DEPS;LIBS" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

  if(sources)
    add_library(tidegate_${name} STATIC ${sources})
    set(scope PUBLIC)
    tidegate_batches(tidegate_${name})
    if(ARG_COLD)
      target_compile_options(tidegate_${name} PRIVATE ${TIDEGATE_COLD_OPTIONS})
    endif()
  else()
    add_library(tidegate_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(tidegate_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep ${dep})
    target_link_libraries(tidegate_${name} ${scope} tidegate_${dep})
  endforeach()
  target_link_libraries(tidegate_${name} ${scope} ${ARG_LIBS})

  if(tests)
    add_executable(tidegate_${name}_test ${tests})
    target_link_libraries(tidegate_${name}_test PRIVATE tidegate_${name} GTest::gtest_main GTest::gmock
                          rapidcheck rapidcheck_gtest)
    tidegate_test_program(tidegate_${name}_test)
    tidegate_batches(tidegate_${name}_test)
    gtest_discover_tests(tidegate_${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                         PROPERTIES LABELS ${name} TIMEOUT 300)
  endif()
endfunction()
