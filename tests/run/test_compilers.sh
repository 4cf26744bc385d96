#!/usr/bin/env bash
# One source, two compilers: gcc and clang evaluate arguments in different orders, and the keys are equal and the
# artifacts too, but for their section of source locations, which is the last one, and which differs: the program's places
# depend on the order.
# test-timeout: 300
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang=$(command -v clang-22 || true)
if [ -n "${TL_SANITIZE:-}" ]; then
  echo "SKIP the programs are not sanitized, the library is"
  echo "0 passed, 0 failed, 1 skipped"
  exit 77
fi
if [ -z "$clang" ]; then
  echo "skip: clang-22 is not installed"
  echo "0 passed, 0 failed, 1 skipped"
  exit 77
fi
for compiler in gcc "$clang"; do
  name=$(basename "$compiler")
  "$compiler" -std=c99 -I"$TL_SOURCE_DIR/include" -I"$TL_SOURCE_DIR/tests" \
    "$TL_SOURCE_DIR/tests/run/key_program.c" -o "$work/$name" \
    -L"$TL_BUILD_DIR/lib" -ltilelang -Wl,-rpath,"$TL_BUILD_DIR/lib" -lm
  "$work/$name" "$work/$name.tlk" > "$work/$name.txt"
done
cat "$work/gcc.txt"
# The header says at byte 16 where the locations begin.
body=$(od -An -t u8 -j 16 -N 8 "$work/gcc.tlk" | tr -d ' ')
echo "$body of $(stat -c %s "$work/gcc.tlk") bytes do not depend on source locations"
if ! grep -q 'key [0-9a-f]\{32\}' "$work/gcc.txt" || ! diff "$work/gcc.txt" "$work/clang-22.txt" ||
  [ "$body" -lt 10000 ] || ! cmp -n "$body" "$work/gcc.tlk" "$work/clang-22.tlk"; then
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
if cmp -s "$work/gcc.tlk" "$work/clang-22.tlk"; then
  echo "FAIL the two orders of evaluation show nowhere, so that nothing was tested"
  echo "1 passed, 1 failed, 0 skipped"
  exit 1
fi
echo "2 passed, 0 failed, 0 skipped"
