"""Every example kernel, and those of tests/run/kernels, against the reference interpreter, at sizes around the edges of its blocks: on the host and, where
the emulator is built, as the machine code of AMD chips. TL_RUN_DEVICE names one device instead.

test-timeout: 1800
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys

FOLDERS = ["examples/kernels", "tests/run/kernels"]
SIZES = [1, 7, 80, 1000, 1024, 1025, 4099]
# Kernel, then its extents that take every size in turn, then the values of the others.
SWEEPS = [
    ("vector_add", ["n"], {}),
    ("softmax", ["n"], {"m": 3}),
    ("softmax", ["m"], {"n": 33}),
    ("rmsnorm", ["n"], {"m": 3}),
    ("rmsnorm", ["m"], {"n": 33}),
    ("layernorm", ["n"], {"m": 3}),
    ("layernorm", ["m"], {"n": 33}),
    ("matmul_f32", ["m", "n", "k"], {"m": 33, "n": 17, "k": 21}),
    ("matmul_f16", ["m", "n", "k"], {"m": 33, "n": 17, "k": 21}),
    ("matmul_bf16", ["m", "n", "k"], {"m": 33, "n": 17, "k": 21}),
    ("histogram", ["n", "bins"], {"n": 4099}),
    ("prefix_sum", ["n"], {}),
    ("attention_split", ["keys"], {"heads": 4, "key_heads": 2}),
    ("q4_k_matvec", ["n", "m"], {"n": 17, "m": 3}),
    ("rope", ["n"], {}),
    ("rope_halves", ["n"], {}),
    ("dropout", ["n"], {}),
    ("random_normal", ["n"], {}),
    ("attention", ["queries", "keys"], {"batch": 1, "heads": 2, "key_heads": 1, "queries": 33, "keys": 21}),
    ("attention_causal", ["queries", "keys"], {"batch": 1, "heads": 2, "key_heads": 1, "queries": 33, "keys": 21}),
]
# Other block sizes, and the kernels as they stand.
PLAIN = [("paged_attention", {}), ("moved_elements", {}), ("moved_elements", {"n": 7}), ("rope", {}), ("rope", {"n": 7}),
         ("rope_halves", {}), ("rope_halves", {"B": 16}),
         ("vector_add", {"B": 256, "n": 0}), ("softmax", {"B": 256}), ("rmsnorm", {"B": 4096}),
         ("matmul_f32", {"BM": 64, "BN": 32, "BK": 16}), ("attention", {"D": 80, "BM": 16}), ("attention_causal", {"D": 128})]


def cases(source):
    for kernel, extents, others in SWEEPS:
        for extent in extents:
            for size in SIZES:
                yield kernel, {**others, extent: size}
    yield from PLAIN
    known = {kernel for kernel, *_ in SWEEPS + PLAIN}
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(source, folder))):
            if name.endswith(".tile") and name[:-5] not in known:
                yield name[:-5], {}


def path_of(kernel):
    paths = [os.path.join(os.environ["TL_SOURCE_DIR"], folder, kernel + ".tile") for folder in FOLDERS]
    return next(path for path in paths if os.path.exists(path))


def devices():
    if one := os.environ.get("TL_RUN_DEVICE"):
        return [one]
    emulated = os.path.exists(os.path.join(os.environ["TL_BUILD_DIR"], "lib", "libtilelang-emu.so"))
    return ["host"] + (["emu:gfx942", "emu:gfx1100"] if emulated else [])


def run(device_and_case):
    device, (kernel, values) = device_and_case
    command = ["tlc", "run", path_of(kernel), "-d", device, "--check", "--json", "--seed", "7"]
    for name, value in values.items():
        command += ["--set", f"{name}={value}"]
    if device.startswith("emu:"):
        command.append("--report") # a clean kernel gives none of the emulator's findings
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    label = device + " " + kernel + " " + " ".join(f"{n}={v}" for n, v in values.items())
    if done.returncode != 0:
        return label, (done.stderr.strip() or f"exit status {done.returncode}")
    result = json.loads(done.stdout)
    if findings := result.get("report", {}).get("findings"):
        return label, str(findings)
    report = result["check"]
    if not report["ok"] or (report["compared"] == 0 and values.get("n") != 0):
        return label, str(report)
    return label, None


def main():
    failed = 0
    count = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for label, why in pool.map(run, itertools.product(devices(), cases(os.environ["TL_SOURCE_DIR"]))):
            count += 1
            failed += why is not None
            if why:
                print(f"FAILED   {label}: {why}")
    print(f"{count - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
