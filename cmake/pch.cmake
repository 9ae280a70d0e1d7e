# Headers of the libraries, parsed once for each set of compile options instead of once a source. Only headers of others,
# so that a source still has to include what it uses of this tree, and a change here rebuilds no more than it did. That it
# includes what it uses of theirs shows where this is off: in the presets fuzz and tidy.
option(TIDEGATE_PCH "Precompile the headers of libraries (g++ only)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TIDEGATE_PCH OFF)
endif()

set(TIDEGATE_LIBRARY_HEADERS
    <algorithm> <array> <charconv> <chrono> <cstdint> <deque> <expected> <functional> <map> <memory> <numeric> <optional>
    <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
    <boost/container/small_vector.hpp> <boost/json.hpp> <fmt/format.h>)
set(TIDEGATE_TEST_HEADERS ${TIDEGATE_LIBRARY_HEADERS} <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)

# tidegate_pch_owner(name HEADERS header... LIBS library... [OPTIONS option...]): the target whose precompiled headers
# others reuse; it has no code.
function(tidegate_pch_owner name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS;OPTIONS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/pch/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// CMake wants a target to have a source.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS} -fpch-preprocess)
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# tidegate_pch(target owner): a header's macros have to be defined alike wherever it is reused, hence the definitions.
# -fpch-preprocess lets ccache see which header it is.
function(tidegate_pch target owner)
  if(TIDEGATE_PCH)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${owner},COMPILE_DEFINITIONS>)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
