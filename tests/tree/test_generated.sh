# The generated files that are committed are what `make gen` would write.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ ! -x "$TL_BUILD_DIR/bin/tl-gen" ]; then
  echo "FAIL tl-gen was not built"
  exit 1
fi
"$TL_SOURCE_DIR/cmake/gen.sh" "$TL_BUILD_DIR/bin/tl-gen" "$scratch" || exit 1
passed=0 failed=0
while read -r file; do
  if diff -u "$TL_SOURCE_DIR/$file" "$scratch/$file"; then
    passed=$((passed + 1))
  else
    echo "FAIL $file is out of date: run make gen"
    failed=$((failed + 1))
  fi
done < <(cd "$scratch" && find . -type f | sed 's|^\./||' | sort)
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
