"""Every example kernel, and those of tests/run/kernels, against the reference interpreter, at sizes around the edges of
its blocks (sweeps.txt): on the host and, where the emulator is built, as the machine code of AMD chips. TL_RUN_DEVICE names
one device instead.

test-timeout: 1800
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys

FOLDERS = ["examples/kernels", "tests/run/kernels"]


def settings_of(line, size=None):
    """The settings of a line of sweeps.txt; `size` stands for the asterisk."""
    pairs = (setting.split("=") for setting in line.split()[1:])
    return {name: size if value == "*" else int(value) for name, value in pairs}


def cases(source):
    """(kernel, settings) of every line of sweeps.txt, and of every kernel that has none."""
    sizes, known = [], set()
    with open(os.path.join(source, "tests/run/sweeps.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        kernel = line.split()[0]
        if kernel == "sizes":
            sizes = [int(size) for size in line.split()[1:]]
            continue
        known.add(kernel)
        for size in sizes if "=*" in line else [None]:
            yield kernel, settings_of(line, size)
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
