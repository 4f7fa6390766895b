# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# outside.sh QDADVISE CLANG++: profile, advise and advised build of kvstore.cpp, here.
set -euo pipefail
qdadvise=$1 clang=$2
"$clang" --config="$("$qdadvise" config profile --clang "$clang")" -std=c++20 -O2 kvstore.cpp -o kvstore
"$qdadvise" record -o kvstore.qdprof -- ./kvstore --requests 40000
"$qdadvise" advise --machine server16.toml --threads 16 -o advice.toml kvstore.qdprof
"$clang" --config="$("$qdadvise" config advise --clang "$clang")" \
  -fplugin-arg-qdadvise-advice=advice.toml -fplugin-arg-qdadvise-verbose \
  -std=c++20 -O2 -c kvstore.cpp -o kvstore.o
