#!/bin/sh
# run-tests DEVICE [JOBS]: every numeric test of this tree on one device (host, interp, emu:gfx942, hip:0, ...), JOBS at a time
# (default: as many as there are processors). Needs a POSIX shell, sed and the basic utilities. It compares
#   the example kernels, and those of tests/kernels, with the reference interpreter, at the sizes of tests/sweeps.txt,
#   the C examples with a computation in double precision,
#   and runs the programs of tests/bin that test the C API.
# On emulated devices a finding of the emulator's checks is a failure too. The last line is `N passed, N failed, N skipped`.
set -u
root=$(cd "$(dirname "$0")" && pwd) || exit 1
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '2,8s/^# //p' "$0" >&2
  exit 2
fi
device=$1
jobs=${2:-$(nproc 2> /dev/null || echo 2)}
unset TL_COMPILER_LIBRARY TL_HIPEMU_LIBRARY # this tree's own
export TL_TEST_DEVICE="$device" TL_SOURCE_DIR="$root/share/tilelang"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
limit=
! command -v timeout > /dev/null 2>&1 || limit='timeout 300'
set -f # an asterisk stands for the sizes

# The list: a line is `kernel NAME SETTING...` or `program NAME`.
sizes=
while read -r kernel settings; do
  case $kernel in
    '' | '#'*) ;;
    sizes) sizes=$settings ;;
    *)
      echo "$kernel" >> "$work/known"
      case $settings in
        *'=*'*) for size in $sizes; do echo "kernel $kernel ${settings%%\**}$size${settings#*\*}"; done ;;
        *) echo "kernel $kernel $settings" ;;
      esac
      ;;
  esac
done < "$root/tests/sweeps.txt" > "$work/list"
set +f
for file in "$root"/share/tilelang/examples/kernels/*.tile "$root"/tests/kernels/*.tile; do
  [ -e "$file" ] || continue
  kernel=${file##*/}
  kernel=${kernel%.tile}
  grep -qxF "$kernel" "$work/known" || echo "kernel $kernel"
done >> "$work/list"
for file in "$root"/tests/bin/*; do echo "program ${file##*/}"; done >> "$work/list"
set -f
total=$(grep -c . "$work/list")

# Each case_* function writes the case's output to $out, counts in $passed, $failed and $skipped, and says why in $why.
case_kernel() {
  file=$root/share/tilelang/examples/kernels/$1.tile
  [ -e "$file" ] || file=$root/tests/kernels/$1.tile
  nothing=no # may nothing be compared?
  shift
  arguments=
  for setting in "$@"; do
    arguments="$arguments --set $setting"
    [ "$setting" != n=0 ] || nothing=yes
  done
  # $limit and $arguments are several words.
  if ! $limit "$root/bin/tlc" run "$file" -d "$device" --check --json --seed 7 $arguments > "$out" 2>&1; then
    failed=1
  elif [ $nothing = no ] && grep -q '"compared": 0,' "$out"; then
    failed=1 why='nothing was compared'
  elif grep -q 'the emulator has .* finding' "$out"; then
    failed=1
  else
    passed=1
  fi
}
# input_of PROGRAM: the names of .npy files for a C example, which tlc fills.
input_of() {
  settings='--set m=37 --set k=53 --set n=1025' inputs='a b' kernel=matmul_f32
  case $1 in
    example_vector_add) settings='--set n=4099' kernel=vector_add ;;
    example_softmax) settings='--set m=37 --set n=1000' inputs=x kernel=softmax ;;
    example_rmsnorm) settings='--set m=37 --set n=1000' inputs=x kernel=rmsnorm ;;
  esac
  files= outputs=
  for input in $inputs; do
    files="$files $work/$1.$input.npy"
    outputs="$outputs --out $input=@$work/$1.$input.npy"
  done
  "$root/bin/tlc" run "$root/share/tilelang/examples/kernels/$kernel.tile" -d host $settings $outputs > "$out" 2>&1 || return 1
  echo "$files"
}
case_program() {
  case $1 in
    api_sequences) # keeps its data in the host's memory
      [ "$device" = host ] || { skipped=1 why='runs on the host alone'; return; } ;;
  esac
  case $1 in
    example_hello) arguments=$device ;;
    example_attention) # takes minutes in the emulator; the kernels attention* run there
      case $device in emu:*) skipped=1 why='too slow on an emulated device'; return ;; esac
      arguments="-d $device"
      ;;
    example_*) # sizes of its own, or, in the emulator, those of files
      case $device in
        emu:*) arguments="-d $device $(input_of "$1")" || { failed=1; return; } ;;
        *) arguments="-d $device" ;;
      esac
      ;;
    *) arguments= ;;
  esac
  if $limit "$root/tests/bin/$1" $arguments > "$out" 2>&1; then
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$out")
    passed=${passed:-1}
  else
    failed=1
  fi
  if grep -q 'the emulator has .* finding' "$out"; then failed=1 passed=0; fi
}

worker() { # runs what no other worker has begun
  out=$work/out.$1
  number=0
  while read -r kind rest; do
    number=$((number + 1))
    (set -C && : > "$work/begun.$number") 2> /dev/null || continue
    passed=0 failed=0 skipped=0 why=
    "case_$kind" $rest < /dev/null
    word=ok
    [ $skipped = 0 ] || word=skipped
    [ $failed = 0 ] || word=FAILED
    echo "[$number/$total] $word $device $rest${why:+: $why}"
    [ $failed = 0 ] || sed 's/^/  /' "$out"
    echo "$passed $failed $skipped" >> "$work/counts"
  done < "$work/list"
}

if ! "$root/bin/tlc" run "$root/share/tilelang/examples/kernels/vector_add.tile" -d "$device" > "$work/first" 2>&1; then
  cat "$work/first"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
: > "$work/counts"
worker=0
while [ "$worker" -lt "$jobs" ]; do
  worker "$worker" &
  worker=$((worker + 1))
done
wait

passed=0 failed=0 skipped=0 cases=0
while read -r p f s; do
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) cases=$((cases + 1))
done < "$work/counts"
if [ "$cases" != "$total" ]; then
  echo "only $cases of $total cases ran to their end"
  failed=$((failed + total - cases))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
