"""tl-bench: its rows, its refusals, and one short measurement whose figures are whole. Times themselves are not judged."""
import json
import os
import subprocess
import sys
import tempfile

passed = failed = 0


def check(name, good, done):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAIL {name}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def bench(*arguments):
    return subprocess.run(["tl-bench", *arguments], capture_output=True, text=True, timeout=300)


def main():
    done = bench("--list")
    rows = [line.split()[0] for line in done.stdout.splitlines()]
    check("all rows are listed", {"copy", "vector_add", "softmax", "rmsnorm", "matmul", "attention"} <= set(rows), done)
    done = bench("--list", "--only", "matmul.*bf16")
    check("--only chooses", done.stdout.split() == ["matmul", "1024x1024x1024", "bf16"], done)
    done = bench("--only", "no such row")
    check("no row", done.returncode == 1 and "no row matches 'no such row'" in done.stderr, done)
    done = bench("--only", "(")
    check("no regular expression", done.returncode == 1 and "no regular expression" in done.stderr, done)
    done = bench("-d", "interp")
    check("no times of the interpreter", done.returncode == 1 and "say nothing about a device" in done.stderr, done)
    done = bench("-d", "nowhere")
    check("no such device", done.returncode == 1 and "tl-bench: " in done.stderr, done)
    if not os.path.exists(os.path.join(os.environ["TL_BUILD_DIR"], "lib", "libtilelang-compiler.so")):
        print(f"{passed} passed, {failed} failed, 1 skipped (no compiler)")
        return 1 if failed else 0
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/figures.json"
        done = bench("-d", "host", "--only", "vector_add 65536", "--seconds", "0", "--baseline", "--json", path)
        good = done.returncode == 0
        figures = json.load(open(path))["rows"] if good else [{}]
        row = figures[0]
        check("one row is measured", good and len(figures) == 1, done)
        check("its figures are whole", good and row["name"] == "vector_add" and row["dtype"] == "f32" and
              0 < row["ms_min"] <= row["ms_median"] <= row["ms_max"] and row["max_err"] == 0 and
              abs(row["gbps"] - 12 * 65536 / row["ms_median"] * 1e-6) < 1e-6 * row["gbps"], done)
        rivals = row.get("baselines", [])
        check("a rival in the same run", good and rivals and rivals[0]["name"] == "C loop" and
              abs(rivals[0]["ratio"] - rivals[0]["ms_median"] / row["ms_median"]) < 1e-9, done)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
