# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints advice while a whole project compiles, without a change to it:
#   cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/QDAdvise/QDAdviseAdvise.cmake …
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/QDAdvisePlugin.cmake)
qdadvise_advise(ALL)
