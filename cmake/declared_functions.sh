#!/usr/bin/env bash
# Prints the exported functions that the public headers below a directory declare, one name a line, sorted.
# Usage: declared_functions.sh INCLUDE_DIRECTORY
set -eu
include=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$include" && find . -name '*.h' | sort | sed 's|^\./\(.*\)|#include "\1"|') > "$scratch/all.c"
cc -std=c11 -I "$include" -fsyntax-only -aux-info "$scratch/prototypes" "$scratch/all.c"
# A line reads: /* FILE:LINE:NC */ extern TYPE NAME (PARAMETERS);
grep -F "$include/" "$scratch/prototypes" | sed -n 's|^/\* [^ ]* \*/ extern [^(]*[ *]\([A-Za-z_0-9][A-Za-z_0-9]*\) (.*|\1|p' | sort -u
