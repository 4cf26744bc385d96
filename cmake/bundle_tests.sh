#!/usr/bin/env bash
# bundle_tests.sh PREFIX: adds run-tests and tests/ to an installed tree. The programs are the C examples, which compare every
# element with a computation in double precision, and those CMocka programs of tests/api that compute numbers. They are compiled
# against the tree itself, with nothing but the C compiler. Debian has CMocka as a shared library alone: that one lies beside
# them in tests/lib.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
prefix=$(cd "$1" && pwd)
cmocka_programs="in_place paged_attention sequences"

mkdir -p "$prefix/tests/bin" "$prefix/tests/lib" "$prefix/tests/kernels"
cp "$source/tests/run/sweeps.txt" "$prefix/tests/"
cp "$source"/tests/run/kernels/*.tile "$prefix/tests/kernels/"
install -m 755 "$source/tests/run/run_tests.sh" "$prefix/run-tests"
cmocka=$(${CC:-cc} -print-file-name=libcmocka.so.0)
cp -L "$cmocka" "$prefix/tests/lib/"

# program SOURCE NAME OPTIONS...: without debug information, which would name directories of this machine.
program() {
  local file=$1 name=$2
  shift 2
  ${CC:-cc} -std=gnu11 -O2 -s -Wall -Wextra -Werror -I"$prefix/include" "$file" -o "$prefix/tests/bin/$name" "$@" \
    -L"$prefix/lib" -ltilelang -lm -ldl -lpthread "-Wl,-rpath,\$ORIGIN/../../lib:\$ORIGIN/../lib"
}
for file in "$source"/examples/c/*.c; do
  program "$file" "example_$(basename "$file" .c)"
done
cd "$source/tests" # the programs name their sources in messages: relative to here
for name in $cmocka_programs; do
  program "api/$name.c" "api_$name" -I. $(pkg-config --cflags cmocka) "$cmocka"
done
