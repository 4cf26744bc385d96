"""Each public header compiles alone and twice, in every supported language version, with gcc and clang, without a
warning; and each function that it declares is documented with the version it came in."""
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


def undocumented(header):
    """Names of the functions of a header whose declaration does not follow a comment that says Since."""
    text = (INCLUDE / header).read_text()
    for match in re.finditer(r"^(?:TL_API|TL_NODISCARD)\b[^;{]*?\b(tl_\w+)\s*\(", text, re.M):
        before = text[:match.start()].rstrip()
        comment = before[before.rfind("/*"):] if before.endswith("*/") else ""
        if "Since:" not in comment:
            yield match[1]


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome, report in pool.map(compile_header, itertools.product(HEADERS, COMPILERS, STANDARDS)):
            counts[outcome] += 1
            if report:
                print(report)
    for header in HEADERS:
        names = list(undocumented(header))
        if names:
            print(f"FAIL {header}: no comment with Since before {', '.join(names)}")
        counts["failed" if names else "passed"] += 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
