# Every C and C++ file is as clang-format-22 leaves it: a few processes with a share of the files each.
# test-timeout: 600
set -u
cd "$TL_SOURCE_DIR" || exit 1
formatter=$(command -v clang-format-22) || { echo "SKIP format: no clang-format-22"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake/sources.sh > "$scratch/files"
# Its words are FILE:LINE:COLUMN: error: ...; a failure without any of them is one of the program itself.
xargs -P "$(nproc)" -n 16 "$formatter" --dry-run -Werror < "$scratch/files" > "$scratch/words" 2>&1
status=$?
sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*clang-format.*/\1/p' "$scratch/words" | sort -u > "$scratch/wrong"
sed 's/^\(.*\)$/FAIL \1: run make format/' "$scratch/wrong"
total=$(wc -l < "$scratch/files") failed=$(wc -l < "$scratch/wrong")
if [ $status != 0 ] && [ "$failed" = 0 ]; then
  cat "$scratch/words"
  failed=1
fi
echo "$((total - failed)) passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$total" -gt 0 ]
