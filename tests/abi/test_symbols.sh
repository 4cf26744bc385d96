# What libtilelang.so exports, what its version script names, what the headers declare and what symbols.txt records are
# the same set; the compiler library exports its functions; the static library defines no foreign C name.
set -u
passed=0 failed=0
lib=$TL_BUILD_DIR/lib
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# same NAME FILE FILE: the two sorted lists are equal.
same() {
  if diff -u "$2" "$3"; then passed=$((passed + 1)); else echo "FAIL $1"; failed=$((failed + 1)); fi
}
# GDB finds jitted code through two names of its own.
gdb_names='^__jit_debug_\(register_code\|descriptor\)$'
exported() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort; }
named() { sed -n 's|^ *\([A-Za-z_0-9]*\);.*|\1|p' "$1" | sort; }

exported "$lib/libtilelang.so" > "$scratch/exported"
named "$TL_SOURCE_DIR/src/capi/exports.map" > "$scratch/map"
"$TL_SOURCE_DIR/cmake/declared_functions.sh" "$TL_SOURCE_DIR/include" > "$scratch/declared"
grep -v "$gdb_names" "$scratch/exported" > "$scratch/exported_api"
same "libtilelang.so exports what exports.map names" "$scratch/map" "$scratch/exported"
same "libtilelang.so exports what the headers declare" "$scratch/declared" "$scratch/exported_api"
same "tests/abi/symbols.txt records the exported functions" "$TL_SOURCE_DIR/tests/abi/symbols.txt" "$scratch/exported_api"

nm -D --defined-only "$lib/libtilelang.so" | awk '$2 != "A" { print $3 }' | grep -v '@@TILELANG_0\.1$' > "$scratch/unversioned"
same "every export has the version node TILELANG_0.1" /dev/null "$scratch/unversioned"
same "every function is named tl_*" /dev/null <(grep -v '^tl_' "$scratch/exported_api")
same "at most 80 functions are exported" <(echo within) <([ "$(wc -l < "$scratch/exported_api")" -le 80 ] && echo within)

if [ -e "$lib/libtilelang-compiler.so" ]; then
  named "$TL_SOURCE_DIR/src/codegen/exports.map" > "$scratch/compiler_map"
  for library in "$lib/libtilelang-compiler.so" "$TL_BUILD_DIR/static/libtilelang-compiler.so"; do
    [ -e "$library" ] || continue
    same "${library#"$TL_BUILD_DIR"/} exports what its map names" "$scratch/compiler_map" <(exported "$library")
  done
fi

same "libtilelang.a defines the exported functions" "$scratch/exported_api" \
  <(nm --defined-only -g "$lib/libtilelang.a" | awk '$3 ~ /^tl_/ { print $3 }' | sort -u)
nm --defined-only -g "$lib/libtilelang.a" | awk 'NF == 3 && $3 !~ /^_Z|^tl_|^__jit_debug_|^DW\.ref/ { print $3 }' \
  | sort -u > "$scratch/foreign"
same "libtilelang.a defines no C name but ours" /dev/null "$scratch/foreign"

echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
