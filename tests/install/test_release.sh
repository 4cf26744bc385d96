# The release build (make static) keeps its promises: the size of libtilelang.so, no library needed but the C library's
# own, and all that the installation and symbol tests ask. test-timeout: 600 test-label: long
set -u
release=${TL_RELEASE_BUILD_DIR:-$TL_SOURCE_DIR/build-static}
if [ ! -e "$release/lib/libtilelang.so" ]; then
  echo "SKIP release: no release build in $release (make static)"
  exit 77
fi
export TL_BUILD_DIR=$release
bash "$TL_SOURCE_DIR/tests/install/test_install.sh" || status=1
bash "$TL_SOURCE_DIR/tests/abi/test_symbols.sh" || status=1

passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
check() { if "$@"; then passed=$((passed + 1)); else echo "FAIL $*"; failed=$((failed + 1)); fi; }

# smaller LIBRARY BYTES: the stripped library is at most so large.
smaller() {
  strip -o "$scratch/stripped" "$1"
  local size
  size=$(stat -c %s "$scratch/stripped")
  echo "$(basename "$1"): $size bytes"
  [ "$size" -le "$2" ]
}
# plain LIBRARY: needs nothing but the C library.
plain() { ! readelf -d "$1" | grep NEEDED | grep -vE '\[(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so'; }
for library in libtilelang.so libtilelang-compiler.so libtilelang-emu.so libtilelang-hipemu.so; do check plain "$release/lib/$library"; done
check smaller "$release/lib/libtilelang.so" 1500000
check smaller "$release/lib/libtilelang-compiler.so" 90000000

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ -z "${status:-}" ]
