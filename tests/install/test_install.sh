# An installed tree, staged and then moved elsewhere, serves consumers through pkg-config (shared and static) and through
# CMake, and its tools run. TL_INSTALLED_DIR names a tree that is there already. test-timeout: 300
set -u
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
consumer=$TL_SOURCE_DIR/tests/install/consumer

# check NAME COMMAND...: one case.
check() {
  local name=$1
  shift
  if "$@" > "$scratch/log" 2>&1; then passed=$((passed + 1)); else
    echo "FAIL $name"
    sed 's/^/  /' "$scratch/log"
    failed=$((failed + 1))
  fi
}

if [ -n "${TL_INSTALLED_DIR:-}" ]; then
  ln -s "$TL_INSTALLED_DIR" "$scratch/moved"
else
  check "install to a stage" env DESTDIR="$scratch/stage" cmake --install "$TL_BUILD_DIR" --prefix /usr --strip
  if [ $failed != 0 ]; then # nothing else can be right then
    echo "$passed passed, $failed failed, 0 skipped"
    exit 1
  fi
  mv "$scratch/stage/usr" "$scratch/moved"
fi
lib=$(dirname "$(find "$scratch/moved/" -name libtilelang.a)")
compiler=$(find "$lib" -name 'libtilelang-compiler.so*' | head -n 1)
export PKG_CONFIG_PATH="$lib/pkgconfig"

no_foreign_paths() { ! grep -rnE "$TL_SOURCE_DIR|$TL_BUILD_DIR|$scratch" "$lib/pkgconfig" "$lib/cmake"; }
check "the package files name no directory of the build" no_foreign_paths
check "the library's name carries the version" test "$(basename "$(readlink -f "$lib/libtilelang.so")")" = libtilelang.so.0.1.0
check "the headers are there" test -f "$scratch/moved/include/tilelang.h" -a -f "$scratch/moved/include/tilelang/ops.h"

pages() { # that the headers point to
  local page count=0
  for page in $(grep -rohE 'docs/[a-z_]+\.md' "$scratch/moved/include" | sort -u); do
    test -f "$scratch/moved/share/doc/tilelang/$(basename "$page")" || { echo "no $page"; return 1; }
    count=$((count + 1))
  done
  [ $count -gt 1 ]
}
check "the pages that the headers name are there" pages

examples() { # the same as in the sources
  diff -r -x README.md "$TL_SOURCE_DIR/examples" "$scratch/moved/share/tilelang/examples"
}
check "the examples are there" examples

cc=(cc -std=c99 -Wall -Wextra -Werror "$consumer/consumer.c")
shared() { "${cc[@]}" -o "$scratch/shared" $(pkg-config --cflags --libs tilelang); }
check "pkg-config, shared: links" shared
check "pkg-config, shared: runs" env LD_LIBRARY_PATH="$lib" "$scratch/shared"
# The program goes to / before it builds: that the loader was told a relative path, or a link, does not matter.
relative() { (cd "$(dirname "$lib")" && LD_LIBRARY_PATH=$(basename "$lib") "$scratch/shared"); }
check "a relative path of the library" relative
linked() { mkdir "$scratch/links" && ln -s "$lib/libtilelang.so.0.1" "$scratch/links" && LD_LIBRARY_PATH=$scratch/links "$scratch/shared"; }
check "a link to the library" linked
needed() { readelf -d "$scratch/shared" | grep -qF '[libtilelang.so.0.1]'; }
check "pkg-config, shared: needs libtilelang.so.0.1" needed

# --static gives the libraries behind it; the archive itself has to be asked for where both kinds are installed.
static() { "${cc[@]}" -o "$scratch/static" $(pkg-config --static --cflags --libs tilelang | sed 's/-ltilelang/-l:libtilelang.a/'); }
check "pkg-config --static: links with cc" static
check "pkg-config --static: runs" "$scratch/static" "$compiler"
unneeded() { ! readelf -d "$scratch/static" | grep -q libtilelang; }
check "pkg-config --static: needs no libtilelang.so" unneeded

check "find_package: configures" cmake -S "$consumer" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$scratch/moved"
check "find_package: builds" cmake --build "$scratch/cmake"
check "find_package: runs" "$scratch/cmake/consumer"
check "find_package: the static library runs" "$scratch/cmake/consumer_static" "$compiler"

check "tlc runs where it was moved to" "$scratch/moved/bin/tlc" devices
check "tlc runs an installed example" "$scratch/moved/bin/tlc" run "$scratch/moved/share/tilelang/examples/kernels/vector_add.tile" -d host --check

echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
