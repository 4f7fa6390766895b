# Warnings that every target of ours is built with. The flags that decide
# whether a warning stops the build are the presets' business.
add_library(qdadvise_warnings INTERFACE)
target_compile_options(qdadvise_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  $<$<BOOL:${QDADVISE_WERROR}>:-Werror>)

# qdadvise_precompile(TARGET HEADERS...)
# Headers that most sources of the target include; each still includes what it uses. `REUSE_FROM
# OTHER` takes those of another target, `SAME_AS OTHER` compiles them again, for other flags.
function(qdadvise_precompile target)
  if(QDADVISE_COLD_BUILD AND "${ARGV1}" STREQUAL REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  elseif(QDADVISE_COLD_BUILD AND "${ARGV1}" STREQUAL SAME_AS)
    get_target_property(headers ${ARGV2} PRECOMPILE_HEADERS)
    target_precompile_headers(${target} PRIVATE ${headers})
  elseif(QDADVISE_COLD_BUILD)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# qdadvise_unoptimized(TARGET)
# For what computes little: its sources take a third to a half less time to compile.
function(qdadvise_unoptimized target)
  if(QDADVISE_COLD_BUILD)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# qdadvise_library(NAME SOURCES... [DEPENDS targets...])
# A static library of the advisor; the folder names the room it lives in.
function(qdadvise_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE qdadvise_warnings)
  qdadvise_precompile(${name} <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory>
    <numeric> <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
endfunction()

# qdadvise_unittest(NAME [ONE_PROCESS] [COMPUTES_LITTLE] SOURCES... [DEPENDS targets...])
# A GoogleTest binary, each of whose tests is known to ctest, or with ONE_PROCESS all as one.
# COMPUTES_LITTLE: the time is spent in libraries, not in the tests' own sources.
function(qdadvise_unittest name)
  cmake_parse_arguments(ARG "ONE_PROCESS;COMPUTES_LITTLE" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main GTest::gmock qdadvise_warnings)
  qdadvise_precompile(${name} <gmock/gmock.h> <gtest/gtest.h>)
  if(ARG_COMPUTES_LITTLE)
    qdadvise_unoptimized(${name})
  endif()
  if(ARG_ONE_PROCESS)
    add_test(NAME ${name} COMMAND ${name})
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
