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

# qdadvise_in_batches(TARGET [ALONE sources...])
# Compiles six sources as one, so that what their headers define is compiled once. Sources of a batch
# share their anonymous namespaces: a name that two of them have stops the build. Rename it, or
# list one of the two as ALONE. Those listed were found with all sources of each target in one batch.
function(qdadvise_in_batches target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${QDADVISE_COLD_BUILD} UNITY_BUILD_BATCH_SIZE 6)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# qdadvise_link_first(TARGET LIBRARIES...)
# Of the copies that several objects have of a template's function, the linker takes the first. So a
# target that is not optimized lets those of optimized libraries come first, and their code stays fast.
function(qdadvise_link_first target)
  set(archives)
  foreach(library IN LISTS ARGN)
    if(NOT TARGET ${library})
      continue()
    endif()
    get_target_property(type ${library} TYPE)
    get_target_property(options ${library} COMPILE_OPTIONS)
    if(type STREQUAL STATIC_LIBRARY AND NOT "-O0" IN_LIST options)
      string(APPEND archives " $<TARGET_FILE:${library}>")
    endif()
  endforeach()
  if(QDADVISE_COLD_BUILD AND archives)
    target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive${archives} -Wl,--no-whole-archive")
  endif()
endfunction()

# qdadvise_precompile_once(TARGET SET HEADERS... [LIBRARIES targets...])
# As qdadvise_precompile, but the headers are compiled once for all targets that name the same SET; they
# are found with LIBRARIES. All are libraries or all are programs. A set is good for one optimization
# level: there is one more for those that are not optimized.
function(qdadvise_precompile_once target set)
  if(NOT QDADVISE_COLD_BUILD)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  get_target_property(options ${target} COMPILE_OPTIONS)
  if("-O0" IN_LIST options)
    string(APPEND set _unoptimized)
  endif()
  if(NOT TARGET ${set})
    set(source ${CMAKE_BINARY_DIR}/precompiled/${set}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      add_executable(${set} ${source})
    else()
      add_library(${set} OBJECT ${source})
    endif()
    target_link_libraries(${set} PRIVATE qdadvise_warnings ${ARG_LIBRARIES})
    if("-O0" IN_LIST options)
      qdadvise_unoptimized(${set})
    endif()
    qdadvise_precompile(${set} ${ARG_UNPARSED_ARGUMENTS})
  endif()
  qdadvise_precompile(${target} REUSE_FROM ${set})
endfunction()

# qdadvise_library(NAME [COMPUTES_LITTLE] SOURCES... [DEPENDS targets...] [PRECOMPILE headers...])
# A static library of the advisor; the folder names the room it lives in. COMPUTES_LITTLE: speed is
# nothing to it. PRECOMPILE: headers that most of its sources include, in place of the usual.
function(qdadvise_library name)
  cmake_parse_arguments(ARG "COMPUTES_LITTLE" "" "SOURCES;DEPENDS;PRECOMPILE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE qdadvise_warnings)
  if(ARG_COMPUTES_LITTLE)
    qdadvise_unoptimized(${name})
  endif()
  if(ARG_PRECOMPILE)
    qdadvise_precompile(${name} ${ARG_PRECOMPILE})
  else()
    qdadvise_precompile_once(${name} qdadvise_library_headers <algorithm> <array> <cmath> <cstdint>
      <functional> <map> <memory> <numeric> <optional> <span> <string> <string_view> <unordered_map> <utility>
      <variant> <vector>)
  endif()
endfunction()

# qdadvise_unittest(NAME [ONE_PROCESS] [COMPUTES_LITTLE] SOURCES... [DEPENDS targets...]
#                   [PRECOMPILE headers...])
# A GoogleTest binary, each of whose tests is known to ctest, or with ONE_PROCESS all as one.
# COMPUTES_LITTLE: the time is spent in libraries, not in the tests' own sources. PRECOMPILE: as of
# qdadvise_library.
function(qdadvise_unittest name)
  cmake_parse_arguments(ARG "ONE_PROCESS;COMPUTES_LITTLE" "" "SOURCES;DEPENDS;PRECOMPILE" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main GTest::gmock qdadvise_warnings)
  if(ARG_COMPUTES_LITTLE)
    qdadvise_unoptimized(${name})
    qdadvise_link_first(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PRECOMPILE)
    qdadvise_precompile(${name} ${ARG_PRECOMPILE})
  else()
    qdadvise_precompile_once(${name} qdadvise_test_headers <gmock/gmock.h> <gtest/gtest.h>
      LIBRARIES GTest::gmock)
  endif()
  if(ARG_ONE_PROCESS)
    add_test(NAME ${name} COMMAND ${name})
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
