#!/bin/sh
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# full-filesystem.sh FOLDER FREE COMMAND...: mounts a file system in FOLDER that has room for
# FREE bytes, runs the command and lists what is there then. In a mount namespace of one's own.
set -e
folder=$1 free=$2
shift 2
mount -t tmpfs -o size=256k none "$folder"
head -c $((256 * 1024 - free)) /dev/zero >"$folder/full"
"$@"
ls -s --block-size=1 "$folder"
