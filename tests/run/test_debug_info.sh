#!/usr/bin/env bash
# Debug info of compiled kernels names lines of the canonical text: in a backtrace of GDB through a kernel that runs, and in
# the line table of an AMD code object.
# test-timeout: 300
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
kernel=$TL_SOURCE_DIR/examples/kernels/vector_add.tile
line=$(tlc print --canonical "$kernel" | grep -n ' = add ' | cut -d: -f1)
verdict() { # condition's status, name, output
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED   %s:\n%s\n' "$2" "$3"
  fi
}

if command -v gdb > /dev/null; then
  # The breakpoint is set by name before the kernel exists.
  out=$(gdb -batch -nx -iex 'set debuginfod enabled off' -iex 'set auto-load off' -ex 'set breakpoint pending on' \
    -ex 'break vector_add' -ex run -ex backtrace --args "$(command -v tlc)" run "$kernel" -d host 2>&1)
  grep -Eq '#0 .*vector_add .*vector_add\.canonical\.tile:[0-9]+' <<< "$out"
  verdict $? "GDB shows the kernel's name and line" "$out"
else
  skipped=$((skipped + 1))
  echo "skip: gdb is not installed"
fi

dump=$(command -v llvm-dwarfdump-22 || ls /usr/lib/llvm-22/bin/llvm-dwarfdump 2> /dev/null)
if [ -n "$dump" ]; then
  for target in host amdgcn:gfx942 amdgcn:gfx1100; do
    tlc build "$kernel" -t $target --emit object -o "$work/k.o"
    out=$("$dump" --debug-line --debug-info "$work/k.o" 2>&1)
    grep -q 'vector_add\.canonical\.tile' <<< "$out" && grep -Eq "^0x[0-9a-f]+ +$line +" <<< "$out"
    verdict $? "$target: the line table has line $line, where the sum is" "$out"
  done
else
  skipped=$((skipped + 1))
  echo "skip: llvm-dwarfdump is not installed"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
