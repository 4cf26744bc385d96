# The top level is as the owner drew it: nothing that a build or a test leaves behind is committed.
set -u
cd "$TL_SOURCE_DIR" || exit 1
if ! git rev-parse --git-dir > /dev/null 2>&1; then
  echo "SKIP no repository here"
  exit 77
fi
wanted=$(printf '%s\n' CHANGELOG.md CMakeLists.txt LICENSE Makefile README.md bindings cmake docs examples include src tests)
failed=0
for entry in $(git ls-files | cut -d/ -f1 | sort -u | grep -v '^\.'); do
  grep -qxF "$entry" <<< "$wanted" || { echo "FAIL $entry does not belong to the top level"; failed=$((failed + 1)); }
done
echo "1 passed, $failed failed, 0 skipped"
[ $failed = 0 ]
