"""The C examples as a user runs them: on the host, on the interpreter, on .npy files, on files that do not fit.

test-timeout: 600
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

SOURCE = os.environ["TL_SOURCE_DIR"]
PROGRAMS = os.path.join(os.environ["TL_BUILD_DIR"], "examples")
failures = []
count = 0


def check(condition, what):
    global count
    count += 1
    if not condition:
        failures.append(what)
        print(f"FAILED   {what}")


def run(name, *arguments, code=0):
    done = subprocess.run([os.path.join(PROGRAMS, name), *arguments], capture_output=True, text=True, timeout=300)
    check(done.returncode == code, f"{name} {' '.join(arguments)}: exit {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def main(work):
    rng = np.random.default_rng(1)

    def array(name, *shape):
        path = f"{work}/{name}.npy"
        np.save(path, rng.standard_normal(shape, dtype=np.float32))
        return path

    check("sums are right" in run("hello", "host") and "sums are right" in run("hello", "interp"), "hello")
    for name in ["vector_add", "softmax", "rmsnorm", "matmul", "attention"]:
        words = run(name, "-d", "host")
        check("on host" in words and "max error" in words, f"{name} reports device and error: {words}")
    v, w = array("v", 777), array("w", 777)
    check("n=777" in run("vector_add", "-d", "interp", v, w), "vector_add takes its size from files")
    m, n = array("m", 37, 53), array("n", 53, 1025)
    check("37x53" in run("softmax", m) and "37x53" in run("rmsnorm", m), "rows take their shape from files")
    check("37x1025x53" in run("matmul", m, n), "matmul takes its shape from files")
    for heads, kv_heads, length, depth in [(4, 2, 75, 64), (6, 1, 33, 32), (3, 3, 70, 40)]:
        kv = array("k", kv_heads, length, depth), array("x", kv_heads, length, depth)
        words = run("attention", array("q", heads, length, depth), *kv)
        check(f"h{heads}/{kv_heads} n={length} d={depth} causal" in words, f"attention takes its shape from files: {words}")
        if kv_heads > 1:
            check("must divide" in run("attention", array("q", heads + 1, length, depth), *kv, code=1),
                  "heads that do not divide")
    run("matmul", m, m, code=1)
    check("want 1 axis of at least one element, not the shape (37, 53)" in run("vector_add", m, m, code=1), "a matrix")
    check("want 2 axes" in run("softmax", v, code=1), "a vector")
    check("want 777 elements along axis 0, not 776" in run("vector_add", v, array("short", 776), code=1), "lengths")
    check("want 1 axis" in run("vector_add", v, array("tall", 777, 1), code=1), "a column")
    run("softmax", f"{work}/missing.npy", code=1)
    np.save(f"{work}/f64.npy", np.zeros((3, 4)))
    run("softmax", f"{work}/f64.npy", code=1)
    run("softmax", "-d", "nowhere", code=1)
    usages = {"vector_add": "[a.npy b.npy]", "softmax": "[x.npy]", "rmsnorm": "[x.npy]", "matmul": "[a.npy b.npy]",
              "attention": "[q.npy k.npy v.npy]"}
    for name, files in usages.items():
        words = f"usage: {name} [-d DEVICE] {files}"
        check(words in run(name, "--help") and words in run(name, "-h"), f"{name} --help")
        check(f"--fast is unknown\n{words}" in run(name, "--fast", code=1), f"{name} --fast")
        check(f"-d needs a device\n{words}" in run(name, "-d", code=1), f"{name} -d")
        wanted = files.count(".npy")
        few = wanted - 1 or 2
        check(f"want {wanted} .npy file{'s' * (wanted > 1)} or none, not {few}\n{words}" in run(name, *[m] * few, code=1),
              f"{name} with {few} files")
        check("on interp" in run(name, "-d", "host", "-d", "interp") if name == "vector_add" else True, "the last -d holds")
    check("usage: hello [DEVICE]" in run("hello", "--help"), "hello --help")
    check("usage: hello [DEVICE]" in run("hello", "--bogus", code=2), "hello --bogus")
    directory = os.path.join(SOURCE, "examples/c")
    for file in sorted(os.listdir(directory)):
        if file.endswith(".c"):
            lines = len(open(os.path.join(directory, file)).readlines())
            check(lines < (80 if file == "hello.c" else 150), f"{file} has {lines} lines")


with tempfile.TemporaryDirectory() as directory:
    main(directory)
print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures else 0)
