# The bundle with its tests, unpacked somewhere else: its size, what it needs of a machine, that it names no directory of the
# one that built it, licences and list of components, consumers, tools and run-tests. Needs a release build (make static).
# test-timeout: 1800 test-label: long
set -u
release=${TL_RELEASE_BUILD_DIR:-$TL_SOURCE_DIR/build-static}
if [ ! -e "$release/lib/libtilelang.so" ]; then
  echo "SKIP bundle: no release build in $release (make static)"
  exit 77
fi
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

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

export SOURCE_DATE_EPOCH=1700000000
check "make bundle" "$TL_SOURCE_DIR/cmake/bundle.sh" "$release" "$scratch/dist" tests
if [ $failed != 0 ]; then # nothing else can be right then
  echo "$passed passed, $failed failed, 0 skipped"
  exit 1
fi
archive=$(echo "$scratch"/dist/*.tar.xz)
bundle=$(basename "$archive" .tar.xz)
cp -a "$scratch/dist/$bundle" "$scratch/again" # for a second list of components
rm -rf "${scratch:?}/dist/$bundle"
mkdir "$scratch/elsewhere"
tar -C "$scratch/elsewhere" -xf "$archive"
tree=$scratch/elsewhere/$bundle

named() { [[ $bundle =~ ^tilelang-[0-9]+\.[0-9]+\.[0-9]+-linux-x86_64$ ]] && [ "$(ls "$scratch/elsewhere")" = "$bundle" ]; }
check "one directory with the version in its name" named
small() { stat -c %s "$archive"; [ "$(stat -c %s "$archive")" -le 40000000 ]; }
check "at most 40 MB" small
same_everywhere() { ! TZ=UTC tar --full-time --numeric-owner -tvf "$archive" | grep -v '^[-dl][rwx-]* 0/0 .* 2023-11-14 22:13:20 '; }
check "times and owners do not depend on the machine" same_everywhere

# What it needs: glibc 2.36 and nothing else.
mapfile -t binaries < <(find "$tree" -type f ! -name '*.a' -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print | sort)
[ ${#binaries[@]} -ge 15 ] || check "programs and libraries are found" false
for file in "${binaries[@]}"; do
  short=${file#"$tree"/}
  needs() { ! readelf -d "$file" | grep NEEDED | grep -vE '\[(libc\.so\.6|libm\.so\.6|ld-linux-x86-64\.so\.2|libtilelang\.so\.0\.1|libcmocka\.so\.0)\]'; }
  check "$short needs no library but glibc's and ours" needs
  versions() {
    local newest
    newest=$(objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | cut -d_ -f2 | sort -V | tail -n 1)
    echo "$newest"
    [ "$(printf '%s\n' "$newest" 2.36 | sort -V | tail -n 1)" = 2.36 ] && ! objdump -T "$file" | grep -E 'GLIBCXX|CXXABI|GCC_[0-9]'
  }
  check "$short needs nothing newer than glibc 2.36" versions
  runpath() { ! readelf -d "$file" | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p' | tr ':' '\n' | grep -v '^\$ORIGIN\(/\|$\)'; }
  check "$short has no search path but its own place" runpath
  exports() {
    local allowed='^tl_'
    case $short in
      lib/libtilelang.so.*) allowed='^tl_|^__jit_debug_(register_code|descriptor)$' ;; # two names that debuggers look for
      lib/libtilelang-hipemu.so.*) allowed='^tl_|^(__)?hip' ;;                         # a HIP runtime's
    esac
    ! nm -D --defined-only "$file" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -vE "$allowed"
  }
  case $short in lib/*) check "$short exports our names alone" exports ;; esac
done
paths() { ! grep -raohE "($TL_SOURCE_DIR|$release|$scratch|$HOME/)[[:print:]]{0,40}" "$tree" | sort -u | grep .; }
check "nothing names a directory of the machine" paths

# Licences and components.
texts() { # what the notices point to is there
  local text
  for text in $(grep -ohE 'common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$tree"/LICENSES/*.txt | sort -u); do
    test -s "$tree/LICENSES/$text" || { echo "no $text"; return 1; }
  done
  grep -q 'LLVM Exceptions to the Apache 2.0 License' "$tree/LICENSES/tilelang.txt" &&
    grep -q 'GCC RUNTIME LIBRARY EXCEPTION' "$tree/LICENSES/gcc-12.txt" &&
    grep -q 'Henry Spencer' "$tree/LICENSES/llvm-third-party.txt" && test -s "$tree/LICENSES/common-licenses/GPL-3"
}
check "licence texts" texts
again() {
  "$TL_SOURCE_DIR/cmake/sbom.py" "$release" "$scratch/again" $SOURCE_DATE_EPOCH && cmp "$scratch/again/sbom.spdx.json" "$tree/sbom.spdx.json"
}
check "the list of components is the same when it is made again" again
unknown() { # a library of the tests alone; here it would have given an object
  mkdir "$scratch/build" && cp -r "$release/CMakeCache.txt" "$release/link" "$scratch/build" &&
    printf '9\t1\t/usr/lib/x86_64-linux-gnu/libmpfr.a\n' >> "$scratch/build/link/tlc.tsv" &&
    ! "$TL_SOURCE_DIR/cmake/sbom.py" "$scratch/build" "$scratch/again" $SOURCE_DATE_EPOCH 2> "$scratch/words" &&
    grep 'libmpfr-dev is linked in, and no licence is known' "$scratch/words"
}
check "a library without a licence is an error" unknown
/usr/bin/python3 "$TL_SOURCE_DIR/tests/install/check_sbom.py" "$tree" "$release" || status=1

# Consumers and tools, as of an installed tree.
TL_INSTALLED_DIR=$tree TL_BUILD_DIR=$release bash "$TL_SOURCE_DIR/tests/install/test_install.sh" || status=1
defined() {
  cc -std=c99 "$TL_SOURCE_DIR/tests/install/consumer/consumer.c" -o "$scratch/consumer" \
    $(PKG_CONFIG_PATH=$tree/lib/pkgconfig pkg-config --define-prefix --cflags --libs tilelang) && LD_LIBRARY_PATH=$tree/lib "$scratch/consumer"
}
check "pkg-config --define-prefix" defined
c_example() {
  cc -std=c99 "$tree/share/tilelang/examples/c/softmax.c" -o "$scratch/softmax" \
    $(PKG_CONFIG_PATH=$tree/lib/pkgconfig pkg-config --cflags --libs tilelang) -lm && LD_LIBRARY_PATH=$tree/lib "$scratch/softmax" -d host
}
check "a C example compiles and runs" c_example

# run-tests: passes, and fails where a kernel or program is wrong or the device is not there.
run_tests() { "$tree/run-tests" "$@" > "$scratch/words"; local status=$?; tail -n 300 "$scratch/words"; return $status; }
check "run-tests host" run_tests host
counted() { tail -n 1 "$scratch/words" | grep -qE '^[0-9]{3,} passed, 0 failed, 0 skipped$'; }
check "run-tests counts" counted
cp -al "$tree" "$scratch/wrong"
rm "$scratch"/wrong/tests/bin/* "$scratch"/wrong/tests/kernels/* "$scratch"/wrong/share/tilelang/examples/kernels/[!v]*
printf 'sizes 1 7\nvector_add n=*\n' > "$scratch/sweeps"
cp --remove-destination "$scratch/sweeps" "$scratch/wrong/tests/sweeps.txt"
fails() { # SUM [DEVICE]: run-tests of the wrong tree fails with this sum
  "$scratch/wrong/run-tests" "${2:-host}" > "$scratch/words" 2>&1 && return 1
  cat "$scratch/words"
  [ "$(tail -n 1 "$scratch/words")" = "$1" ]
}
printf '#!/bin/sh\necho "[  PASSED  ] 5 test(s)."\n' > "$scratch/wrong/tests/bin/api_some"
chmod +x "$scratch/wrong/tests/bin/api_some"
check "run-tests counts the tests of a program" bash -c "'$scratch/wrong/run-tests' host | tail -n 1 | grep -x '7 passed, 0 failed, 0 skipped'"
printf '#!/bin/sh\necho "[  PASSED  ] 5 test(s)."\nexit 1\n' > "$scratch/wrong/tests/bin/api_some"
check "run-tests: a program that fails" fails "2 passed, 1 failed, 0 skipped"
echo 'tile 0.1' > "$scratch/wrong/tests/kernels/empty.tile"
check "run-tests: a kernel that fails" fails "2 passed, 2 failed, 0 skipped"
check "run-tests: no such device" fails "0 passed, 1 failed, 0 skipped" hip:99

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ -z "${status:-}" ]
