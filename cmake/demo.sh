#!/usr/bin/env bash
# Runs every example below a directory of built ones, and says at the end how many failed.
set -u
failed=0 count=0
for example in "$1"/*; do
  [ -x "$example" ] && [ -f "$example" ] || continue
  count=$((count + 1))
  echo "== $(basename "$example")"
  "$example" || { echo "$(basename "$example") failed with status $?"; failed=$((failed + 1)); }
done
echo "$count examples, $failed failed"
[ $failed = 0 ] && [ $count -gt 0 ]
