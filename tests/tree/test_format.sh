# Every C and C++ file is as clang-format-22 leaves it.
set -u
cd "$TL_SOURCE_DIR" || exit 1
formatter=$(command -v clang-format-22) || { echo "SKIP format: no clang-format-22"; exit 77; }
passed=0 failed=0
while read -r file; do
  if "$formatter" --dry-run -Werror "$file" > /dev/null 2>&1; then
    passed=$((passed + 1))
  else
    echo "FAIL $file: run make format"
    failed=$((failed + 1))
  fi
done < <(cmake/sources.sh)
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
