#!/usr/bin/env bash
# Lists the C and C++ files that follow .clang-format: all of ours but the generated header.
cd "$(dirname "$0")/.." || exit 1
find src include tests examples -name '*.cc' -o -name '*.c' -o -name '*.h' | grep -v '^include/tilelang/ops\.h$' | sort
