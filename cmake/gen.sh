#!/usr/bin/env bash
# Writes the generated and committed files below a directory: the source tree (make gen) or a scratch one (the test
# that compares). Usage: gen.sh TL_GEN OUTPUT_ROOT
set -eu
generator=$1 out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out/include/tilelang" "$out/docs" "$out/tests/abi"

# tl_gen KIND FILE: leaves an unchanged file alone, so that nothing is rebuilt for it.
emit() {
  local file="$out/$2"
  "$generator" "$1" > "$file.new"
  if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
}
emit ops.h include/tilelang/ops.h
emit tile_ir.md docs/tile_ir.md
emit ops.json docs/ops.json

"$root/cmake/declared_functions.sh" "$root/include" > "$out/tests/abi/symbols.txt.new"
mv "$out/tests/abi/symbols.txt.new" "$out/tests/abi/symbols.txt"
