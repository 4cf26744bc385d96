# The last line of .ci/run is the sum of the tests, whether they pass, fail, or are never reached; a `make` of ours says what
# the real one would.
set -u
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check NAME STATUS LAST_LINE: with the lines and the exit status that make has from standard input.
check() {
  { echo '#!/bin/sh'; cat; } > "$scratch/make"
  chmod +x "$scratch/make"
  PATH="$scratch:$PATH" "$TL_SOURCE_DIR/.ci/run" > "$scratch/out" 2>&1
  local status=$?
  if [ $status = "$2" ] && [ "$(tail -n 1 "$scratch/out")" = "$3" ]; then
    passed=$((passed + 1))
  else
    echo "FAIL $1: status $status"
    sed 's/^/  /' "$scratch/out"
    failed=$((failed + 1))
  fi
}
check "all pass" 0 "12 passed, 0 failed, 1 skipped" << 'END'
[ "$1" = check ] && echo "12 passed, 0 failed, 1 skipped"
END
check "some fail" 2 "11 passed, 1 failed, 0 skipped" << 'END'
echo "3 passed, 0 failed, 0 skipped"
echo "11 passed, 1 failed, 0 skipped"
echo "make: *** [Makefile:73: check] Error 1" >&2
exit 2
END
check "it does not build" 2 "0 passed, 1 failed, 0 skipped" << 'END'
echo "ninja: build stopped: subcommand failed." >&2
exit 2
END
check "the runner ends early" 2 "0 passed, 1 failed, 0 skipped" << 'END'
echo "3 passed, 0 failed, 0 skipped"
exit 2
END
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
