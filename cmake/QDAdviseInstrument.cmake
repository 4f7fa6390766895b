# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a whole project to be recorded, without a change to it:
#   cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/QDAdvise/QDAdviseInstrument.cmake …
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/QDAdvisePlugin.cmake)
qdadvise_instrument(ALL)
