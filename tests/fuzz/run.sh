#!/usr/bin/env bash
# run.sh BUILD RUNS [NAME...]: runs the fuzz targets (text, graph, artifact, calls), RUNS inputs each, from the texts of the
# repository and what earlier runs found (BUILD/corpus). Input that fails a target is left in BUILD. The last line is
# `N passed, N failed, N skipped`.
set -u
build=$1 runs=$2
shift 2
[ $# -gt 0 ] || set -- text graph artifact calls
source=$(cd "$(dirname "$0")/../.." && pwd)
corpus=$build/corpus
"$build/bin/fuzz_seeds" "$corpus/seeds" "$source"/examples/kernels/*.tile "$source"/tests/{golden,error,run/kernels}/*.tile
# Words of the text form, for the parser's fuzzer.
python3 - "$source/docs/ops.json" > "$build/text.dict" << 'END'
import json, sys
words = {op["name"] for op in json.load(open(sys.argv[1]))["ops"]} | set(
    "tile 0.1|kernel|sequence|func|call|grid [|param|carry|yield|mask|axis|combine|with|view<|ptr<|tile<|f32|i64|dispatch".split("|"))
for word in sorted(words):
    print('"%s"' % word)
END
passed=0 failed=0
for name in "$@"; do
  mkdir -p "$corpus/$name"
  options=()
  [ "$name" = text ] && options+=("-dict=$build/text.dict")
  if "$build/bin/fuzz_$name" -runs="$runs" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
      "${options[@]}" -artifact_prefix="$build/fuzz_$name-" "$corpus/$name" "$corpus/seeds/$name" > "$build/fuzz_$name.log" 2>&1; then
    passed=$((passed + 1))
    echo "ok       fuzz/$name: $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$build/fuzz_$name.log" | grep -o '[0-9]*$') inputs"
  else
    failed=$((failed + 1))
    echo "FAIL fuzz/$name"
    tail -n 40 "$build/fuzz_$name.log"
  fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
