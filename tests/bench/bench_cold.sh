#!/usr/bin/env bash
# Cold builds in fresh processes, the static compiler library loaded each time: medians in milliseconds of the whole process
# `tlc build` and of the build inside it. usage: bench_cold.sh BUILD_DIR_WITH_STATIC_LIBRARY KERNEL_DIRECTORY
set -eu
tlc=$1/bin/tlc
kernels=$2
runs=11
median() { sort -n | sed -n "$((runs / 2 + 1))p"; }
for target in amdgcn:gfx942 amdgcn:gfx1100 host; do
  for kernel in vector_add matmul_f32 matmul_f16; do
    whole=() inside=()
    for _ in $(seq $((runs + 1))); do
      begin=$(date +%s%N)
      stats=$("$tlc" build "$kernels/$kernel.tile" -t "$target" --stats)
      end=$(date +%s%N)
      whole+=($(((end - begin) / 10000)))
      inside+=("$(sed 's/.*"total":\([0-9.]*\).*/\1/' <<< "$stats")")
    done
    # The first run pays for reading the library from disk.
    w=$(printf '%s\n' "${whole[@]:1}" | median)
    i=$(printf '%s\n' "${inside[@]:1}" | median)
    printf '%-16s %-12s process %d.%02d ms, build %.1f ms\n' "$target" "$kernel" $((w / 100)) $((w % 100)) "$i"
  done
done
