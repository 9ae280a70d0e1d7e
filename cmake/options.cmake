option(TIDEGATE_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TIDEGATE_TSAN "Build with ThreadSanitizer" OFF)
option(TIDEGATE_FUZZ "Instrument for libFuzzer and build tests/fuzz (clang only)" OFF)
option(TIDEGATE_WERROR "Treat warnings as errors" ON)
set(TIDEGATE_PROGRAM_DIR ${CMAKE_BINARY_DIR} CACHE PATH "Where the program tidegate is put")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(TIDEGATE_OPT -O2 CACHE STRING "How hard a release build optimises; -O0 compiles in half the time")
set(CMAKE_CXX_FLAGS_RELEASE "${TIDEGATE_OPT}")
# -Og: sanitized code compiles in half the time of -O1. GCC then sees uninitialised values where there are none.
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1 -Wno-maybe-uninitialized")
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(TIDEGATE_WERROR)
  add_compile_options(-Werror)
endif()
if(TIDEGATE_SANITIZE)
  # Left out are checks of every access, which take up to a quarter of a source's compile time: AddressSanitizer reports
  # null accesses and those beyond an object by itself.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1
                      -fno-sanitize=null,alignment,object-size -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
endif()
if(TIDEGATE_TSAN)
  add_compile_options(-fsanitize=thread -g1)
  add_link_options(-fsanitize=thread)
endif()
if(TIDEGATE_FUZZ)
  # libstdc++ marks what its own std::stable_sort calls as deprecated.
  add_compile_options(-fsanitize=fuzzer-no-link -Wno-deprecated-declarations)
endif()
