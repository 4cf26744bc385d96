#!/usr/bin/env python3
"""Runs text tests: files that hold an input and the output that is expected for it.

    # RUN: tlc print %s
    tile 0.1
    ...
    # EXPECT
    # tile 0.1
    # ...

Each `RUN:` line is a shell command (with pipefail), run in the file's directory with the build's tools on PATH; %s is
the file, %t a scratch path of its own. The k-th EXPECT block is what the k-th command prints (stdout and stderr
together); `EXPECT exit N` asks for exit status N instead of 0. Exit status 77 skips the file; its output is the
reason. `XFAIL: reason` marks a known bug: the file must fail. Comments start with # or //.

TL_BLESS=1 rewrites the EXPECT blocks instead of comparing.

Usage: files.py DIRECTORY_OR_FILE...
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

RUN = re.compile(r"^(#|//)\s*RUN:\s*(.*)$")
XFAIL = re.compile(r"^(#|//)\s*XFAIL:\s*(.*)$")
EXPECT = re.compile(r"^(#|//)\s*EXPECT(?: exit (\d+))?$")


class Case:
    def __init__(self, path):
        self.path = path
        self.commands, self.expected, self.body = [], [], []
        self.xfail, self.comment = None, "#"
        for line in path.read_text().splitlines():
            if match := EXPECT.match(line):
                self.expected.append((int(match[2] or 0), []))
            elif self.expected and line.startswith(self.comment):
                self.expected[-1][1].append(line[len(self.comment):].removeprefix(" "))
            elif self.expected and not line.strip():
                continue
            elif self.expected:
                raise ValueError(f"{path}: text after EXPECT that is no comment: {line!r}")
            else:
                self.body.append(line)
                if match := RUN.match(line):
                    self.comment = match[1]
                    self.commands.append(match[2])
                elif match := XFAIL.match(line):
                    self.xfail = match[2]
        if not self.commands:
            raise ValueError(f"{path}: no RUN line")

    def run(self, scratch):
        """Returns [(exit status, lines)] of the commands."""
        results = []
        for command in self.commands:
            shell = command.replace("%s", self.path.name).replace("%t", str(scratch / self.path.stem))
            done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], cwd=self.path.parent, timeout=300,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            text = done.stdout.decode("utf-8", "replace").replace(str(scratch), "%t")
            results.append((done.returncode, [line.rstrip() for line in text.splitlines()]))
        return results

    def bless(self, results):
        lines = list(self.body)
        while lines and not lines[-1].strip():
            lines.pop()
        for status, output in results:
            lines += ["", self.comment + " EXPECT" + (f" exit {status}" if status else "")]
            lines += [f"{self.comment} {line}".rstrip() for line in output]
        self.path.write_text("\n".join(lines) + "\n")


def differences(case, results):
    if len(case.expected) != len(results):
        return [f"{len(results)} RUN lines but {len(case.expected)} EXPECT blocks"]
    out = []
    for (want_status, want), (status, got) in zip(case.expected, results):
        if status != want_status:
            out.append(f"exit status {status}, expected {want_status}")
        if got != want:
            out += difflib.unified_diff(want, got, "expected", "got", lineterm="")
    return out


def check(path):
    """Returns (outcome, report)."""
    try:
        case = Case(path)
        with tempfile.TemporaryDirectory() as scratch:
            results = case.run(pathlib.Path(scratch))
    except (ValueError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        return "failed", f"FAIL {path}: {error}"
    for status, output in results:
        if status == 77:
            return "skipped", f"SKIP {path}: {' '.join(output)}"
    if os.environ.get("TL_BLESS") == "1":
        case.bless(results)
        return "passed", ""
    wrong = differences(case, results)
    if case.xfail is not None:
        if wrong:
            return "passed", f"XFAIL {path}: {case.xfail}"
        return "failed", f"FAIL {path}: passes although marked XFAIL ({case.xfail})"
    if wrong:
        return "failed", "\n".join([f"FAIL {path}"] + wrong[:200])
    return "passed", ""


def main(arguments):
    paths = []
    for argument in map(pathlib.Path, arguments):
        paths += sorted(argument.glob("**/*.tile")) if argument.is_dir() else [argument]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome, report in pool.map(check, [path.resolve() for path in paths]):
            counts[outcome] += 1
            if report:
                print(report, flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
