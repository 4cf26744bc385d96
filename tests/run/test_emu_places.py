"""Reports and faults of emulated kernels name the author's file and line, not those of the canonical text."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LIBRARIES = pathlib.Path(os.environ["TL_BUILD_DIR"]) / "lib"
passed = failed = 0

# Lines of the canonical text are others: comments and empty lines are not in it.
RACE = """# All four programs write the same elements.

tile 0.1

kernel @race(%a: view<f32, [%n]> = randn, %c: view<f32, [%n]>, %n: i64 = 1024) grid [4] {

  # read
  %x = load %a[0] : tile<256 x f32>

  # and written
  store %x, %c[0]
}
"""
OUTSIDE = """tile 0.1

# A view that claims more than there is.
kernel @outside(%a: view<f32, [%n]> = randn, %c: view<f32, [%n]>, %n: i64 = 1024, %far: i64 = 1000000000) grid [1] {
  %p = addr %a[0]

  %w = view %p, [%far], [1]


  %start = sub %far, 256
  %x = load %w[%start] : tile<256 x f32>
  store %x, %c[0]
}
"""


def tlc(*arguments, **environment):
    return subprocess.run(["tlc", *map(str, arguments)], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)


def check(name, good, done):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAIL {name}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def line_of(text, statement):
    return next(i for i, line in enumerate(text.splitlines(), 1) if line.startswith(statement))


def check_race(name, file, place, device):
    """The race is at `place`, in both forms of the report, and nothing is at a line of the canonical text."""
    path, line = place
    done = tlc("run", file, "-d", device, "--report", "--json")
    report = json.loads(done.stdout)["report"] if done.returncode == 0 else {"findings": [], "profile": []}
    races = [f for f in report["findings"] if f["kind"] == "global-race"]
    check(f"{name}: the race's place", races and all((f["file"], f["line"]) == place for f in races), done)
    check(f"{name}: both places in words", races and all(f["message"].count(f"{path}:{line}") == 2 for f in races), done)
    check(f"{name}: the profile's places", {p["file"] for p in report["profile"]} == {path}, done)
    done = tlc("run", file, "-d", device, "--report")
    check(f"{name}: as text", f"global-race: {path}:{line}: " in done.stdout and "canonical" not in done.stdout, done)


def main():
    if not (LIBRARIES / "libtilelang-emu.so").exists() or not (LIBRARIES / "libtilelang-compiler.so").exists():
        print("SKIP needs libtilelang-emu and the compiler")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        race, outside, artifact = (str(pathlib.Path(scratch) / name) for name in ("race.tile", "outside.tile", "r.tlk"))
        pathlib.Path(race).write_text(RACE)
        pathlib.Path(outside).write_text(OUTSIDE)
        place = (race, line_of(RACE, "  store "))
        for chip in ("gfx942", "gfx1100"):
            check_race(chip, race, place, f"emu:{chip}")
            done = tlc("run", outside, "-d", f"emu:{chip}")
            check(f"{chip}: a fault's place", done.returncode == 1 and "canonical" not in done.stderr
                  and f"({outside}:{line_of(OUTSIDE, '  %x = load')})" in done.stderr, done)
        done = tlc("build", race, "-t", "amdgcn:gfx942", "-o", artifact)
        check("an artifact is written", done.returncode == 0, done)
        check_race("a loaded artifact", artifact, place, "emu:gfx942")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
