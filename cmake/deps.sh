#!/usr/bin/env bash
# Installs the Debian packages of docs/dependencies.md that are missing; quick and silent when none is.
set -eu
build="g++ libcli11-dev nlohmann-json3-dev cmake ninja-build ccache pkg-config xz-utils llvm-22-dev liblld-22-dev libxxhash-dev zlib1g-dev libzstd-dev"
tests="abigail-tools clang-22 clang-format-22 libclang-rt-22-dev libcmocka-dev libmpfr-dev gdb python3 python3-numpy libamdhip64-dev libopenblas-dev"
packages="$build $tests"

if ! command -v dpkg-query > /dev/null; then
  echo "not a Debian system: these packages' equivalents are needed: $packages" >&2
  exit 0
fi
installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' $packages 2> /dev/null || true) "
missing=()
for package in $packages; do
  [[ $installed == *" installed:$package "* ]] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo > /dev/null || { echo "run as root, or install: ${missing[*]}" >&2; exit 1; }
  as_root=sudo
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
