"""Each public header compiles alone and twice, in every supported language version, with gcc and clang, without a
warning; each function that it declares is documented with the version it came in, and each exported one that gives a
status with its errors."""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

INCLUDE = pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h"))
COMPILERS = [("gcc", "g++"), ("clang-22", "clang++-22")]
STANDARDS = ["c99", "c11", "c17", "c++11", "c++17", "c++20"]
WARNINGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Werror"]


def compile_header(case):
    header, compilers, standard = case
    is_cxx = "++" in standard
    compiler = compilers[is_cxx]
    name = f"{header} with {compiler} -std={standard}"
    if not shutil.which(compiler):
        return "skipped", f"SKIP {name}: no {compiler}"
    with tempfile.NamedTemporaryFile("w", suffix=".cc" if is_cxx else ".c") as source:
        source.write(f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n')
        source.flush()
        extra = [] if is_cxx else ["-Wstrict-prototypes", "-Wmissing-prototypes"]
        done = subprocess.run([compiler, f"-std={standard}", *WARNINGS, *extra, "-fsyntax-only", "-I", INCLUDE,
                               source.name], stderr=subprocess.PIPE, text=True)
    return ("failed", f"FAIL {name}\n{done.stderr}") if done.returncode else ("passed", "")


def declared():
    """(header, name, line) of each function of the public headers, inline ones included, as gcc sees them."""
    with tempfile.TemporaryDirectory() as scratch:
        source, prototypes = pathlib.Path(scratch, "all.c"), pathlib.Path(scratch, "prototypes")
        source.write_text("".join(f'#include "{header}"\n' for header in HEADERS))
        subprocess.run(["gcc", "-std=c11", "-I", INCLUDE, "-fsyntax-only", "-aux-info", prototypes, source], check=True)
        text = prototypes.read_text()
    for file, line, name in re.findall(r"^/\* (\S+?):(\d+):\w+ \*/ (?:extern|static) [^(]*?(\w+) \(", text, re.M):
        if file.startswith(f"{INCLUDE}/"):
            yield file[len(f"{INCLUDE}/"):], name, int(line)


def fault(header, name, line, exported):
    """What the comment before a declaration lacks: Since, and the errors of an exported function that gives a status;
    "" if nothing."""
    lines = (INCLUDE / header).read_text().splitlines(keepends=True)
    offset = sum(map(len, lines[:line - 1])) + lines[line - 1].index(name)
    before = "".join(lines)[:offset]
    end = before.rfind("*/")
    if end < max(before.rfind(";"), before.rfind("}")):
        return "no comment"
    comment = before[before.rfind("/*", 0, end):end]
    if "Since:" not in comment:
        return "no Since"
    gives_status = re.search(r"\btl_status\s*$", before[end:])
    if name in exported and gives_status and not re.search(r"Errors:[^.]*(TL_E_|\btl_|first\s+\*?\s*mistake)", comment):
        return "no Errors"
    return ""


def unrecorded_structs():
    """Names of public structs whose layout tests/abi/test_layout.c does not record."""
    record = (pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "tests/abi/test_layout.c").read_text()
    for header in HEADERS:
        for name in re.findall(r"typedef struct (tl_\w+) \{", (INCLUDE / header).read_text()):
            if f"SIZE({name}, " not in record:
                yield header, name


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome, report in pool.map(compile_header, itertools.product(HEADERS, COMPILERS, STANDARDS)):
            counts[outcome] += 1
            if report:
                print(report)
    exported = set((pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "tests/abi/symbols.txt").read_text().split())
    # These read what an error or a status is; they have no errors of their own.
    exported -= {"tl_error_status"}
    for header, name, line in declared():
        missing = fault(header, name, line, exported)
        counts["failed" if missing else "passed"] += 1
        if missing:
            print(f"FAIL {header}:{line}: {name}: the comment before it has {missing}")
    for header, name in unrecorded_structs():
        counts["failed"] += 1
        print(f"FAIL {header}: the layout of {name} is not recorded in tests/abi/test_layout.c")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
