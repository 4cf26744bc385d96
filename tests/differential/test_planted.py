#!/usr/bin/env python3
"""Mistakes planted in the compiler, one at a time: the random kernels must find each.

Each file of planted/ holds one mistake: a line that says what is wrong, its class, the device that shows it, the source
file, the text that is right and the text that stands there instead. The sources are copied into a directory of the
build and built there; for each mistake the compiler is built anew, and differential_random runs until kernels differ.
The failure must have been shrunk to a .tile file whose own command fails in the compiler with the mistake and passes
in the one without.

    test_planted.py [NAME...]        all, or those that are named
"""
# test-timeout: 14400
# test-label: long
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ.get("TL_BUILD_DIR", "build"))
WORK = BUILD / "planted"
COPY = WORK / "source"
PLANTED_BUILD = COPY / "build"  # where any checkout has it: ccache knows objects by relative paths
MOST_GRAPHS = 2000
TARGETS = ["differential_random", "tlc", "tilelang", "tilelang_compiler", "tilelang_hipemu", "tilelang_emu"]
COPIED = ["CMakeLists.txt", "LICENSE", "cmake", "include", "src", "tests", "examples"]
SETTINGS = ["CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER", "LLVM_DIR", "TL_LLVM", "TL_STATIC_RUNTIME"]
FORM = re.compile(r"(?P<words>[^\n]+)\nclass: (?P<kind>[^\n]+)\ndevice: (?P<device>[^\n]+)\nfile: (?P<file>[^\n]+)\n"
                  r"--- right\n(?P<right>.*\n)--- wrong\n(?P<wrong>.*)", re.S)


class Failure(Exception):
    pass


def read_mistake(path):
    match = FORM.fullmatch(path.read_text())
    if not match:
        raise Failure(f"{path}: not in the form of a planted mistake")
    return match


def copy_sources():
    """Copies what differs, so that what was built of the rest stays."""
    for part in COPIED:
        top = SOURCE / part
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            target = COPY / path.relative_to(SOURCE)
            if path.is_dir() or "__pycache__" in path.parts:
                continue
            if not target.exists() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False, **options)


def environment(build):
    variables = {key: value for key, value in os.environ.items() if key != "TL_COMPILER_LIBRARY"}
    # Objects are shared with other copies of the same sources.
    return variables | {"TL_BUILD_DIR": str(build), "CCACHE_BASEDIR": str(COPY), "CCACHE_NOHASHDIR": "1"}


def configure():
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M))
    settings = [f"-D{name}={cache[name]}" for name in SETTINGS if cache.get(name)]
    done = run(["cmake", "-S", str(COPY), "-B", str(PLANTED_BUILD), "-G", "Ninja", "-DTL_BUILD_EXAMPLES=OFF", *settings])
    if done.returncode:
        raise Failure(f"cmake: {done.stdout}")


def build():
    done = run(["ninja", "-C", str(PLANTED_BUILD), *TARGETS], env=environment(PLANTED_BUILD))
    if done.returncode:
        raise Failure(f"it does not build: {done.stdout[-3000:]}")


def planted_text(mistake):
    """The source file with the mistake."""
    text = (SOURCE / mistake["file"]).read_text()
    if text.count(mistake["right"]) != 1:
        raise Failure(f"{mistake['file']} has its text {text.count(mistake['right'])} times instead of once")
    return text.replace(mistake["right"], mistake["wrong"])


def passes(tile, build_directory):
    """Whether the file's own command finds nothing wrong; and what it printed."""
    first = tile.read_text().splitlines()[0]
    if not first.startswith("// RUN: tlc "):
        raise Failure(f"{tile} has no command: {first}")
    words = shlex.split(first.removeprefix("// RUN: tlc ").replace("%s", tile.name))
    done = run([str(build_directory / "bin" / "tlc"), *words], cwd=tile.parent, env=environment(build_directory),
               timeout=600)
    # A finding of the emulator's checks is no error of the command.
    return done.returncode == 0 and not re.search(r"the emulator has \d+ finding", done.stdout), done.stdout


def find(name, mistake):
    """Builds the compiler with a mistake; returns after how many graphs it was found."""
    (COPY / mistake["file"]).write_text(planted_text(mistake))
    build()
    found = PLANTED_BUILD / "differential"
    shutil.rmtree(found, ignore_errors=True)
    chip = mistake["device"].removeprefix("emu:")
    arguments = ["0", str(MOST_GRAPHS), *([] if chip == "host" else [chip]), "--first-failure"]
    done = run([str(PLANTED_BUILD / "tests" / "differential_random"), *arguments], env=environment(PLANTED_BUILD))
    (WORK / f"{name}.log").write_text(done.stdout)
    if done.returncode not in (0, 1):
        raise Failure(f"the random kernels ended with status {done.returncode}: {done.stdout[-1000:]}")
    seeds = [int(seed) for seed in re.findall(r"^FAIL seed (\d+):", done.stdout, re.M)]
    if not seeds:
        raise Failure(f"not found in {MOST_GRAPHS} graphs: {done.stdout[-1000:]}")
    tile = found / f"seed-{seeds[0]}.tile"
    if not tile.exists():
        raise Failure(f"no shrunk file: {done.stdout[-1000:]}")
    kept = WORK / name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(found, kept)
    tile = kept / tile.name
    well, words = passes(tile, PLANTED_BUILD)
    if well:
        raise Failure(f"{tile} passes with the mistake: {words}")
    well, words = passes(tile, BUILD)
    if not well:
        raise Failure(f"{tile} fails without the mistake: {words}")
    return seeds[0] + 1, len([line for line in tile.read_text().splitlines() if line and not line.startswith("//")])


def main(names):
    if os.environ.get("TL_SANITIZE", "OFF") not in ("", "OFF") or not (BUILD / "bin" / "tlc").exists():
        print("SKIP planted mistakes: this is not a whole, plain build")
        return 77
    known = {path.stem: path for path in sorted((SOURCE / "tests" / "differential" / "planted").glob("*.txt"))}
    wanted = names or list(known)
    copy_sources()
    configure()
    build()
    passed, failed, most = 0, 0, 0
    for name in wanted:
        path = known[name]
        try:
            mistake = read_mistake(path)
            graphs, lines = find(name, mistake)
        except Failure as problem:
            failed += 1
            print(f"FAIL {name}: {problem}", flush=True)
        else:
            passed += 1
            most = max(most, graphs)
            print(f"ok   {name} ({mistake['kind']}, {mistake['device']}): after {graphs} graphs, {lines} lines",
                  flush=True)
        finally:
            shutil.copyfile(SOURCE / mistake["file"], COPY / mistake["file"])
    print(f"at most {most} graphs\n{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
