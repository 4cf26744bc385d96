#!/usr/bin/env bash
# bundle.sh BUILD DIRECTORY [tests]: from a release build, DIRECTORY/tilelang-VERSION-linux-x86_64.tar.xz, which runs where
# glibc 2.36 is and nothing else; with `tests` the test programs and run-tests are in it. Equal builds of one commit give equal
# bytes: the times in it are those of the commit, or SOURCE_DATE_EPOCH.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
directory=$(cd "$2" && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=tilelang-$version-linux-x86_64
prefix=$directory/$name
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2> /dev/null || stat -c %Y "$source/CHANGELOG.md")}

rm -rf "$prefix" "$prefix.tar.xz"
cmake --install "$build" --prefix "$prefix" --strip > /dev/null
[ "${3:-}" != tests ] || "$source/cmake/bundle_tests.sh" "$prefix"
"$source/cmake/sbom.py" "$build" "$prefix" "$epoch"
# The modes are the same whatever the umask was.
tar -C "$directory" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
  --format=ustar -cf - "$name" | xz -9 -T1 > "$prefix.tar.xz"
ls -l "$prefix.tar.xz"
