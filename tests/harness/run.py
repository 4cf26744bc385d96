#!/usr/bin/env python3
"""Runs ctest in one or several build directories and sums up single test cases.

    run.py [--jobs N] BUILD [CTEST_ARGUMENT...] [-- BUILD [CTEST_ARGUMENT...]]...

Counts what the programs report themselves: CMocka's summary, or a line `N passed, N failed[, N skipped]`; a program
that reports nothing counts as one case by its exit status. The last line printed is `N passed, N failed, N skipped`.
"""
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

OURS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
CMOCKA_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)", re.M)
CMOCKA_FAILED = re.compile(r"^\[  FAILED  \].*?(\d+) test\(s\)", re.M)
CMOCKA_SKIPPED = re.compile(r"^\[  SKIPPED \].*?(\d+) test\(s\)", re.M)
NOTES = re.compile(r"^(?:SKIP|skip|XFAIL)\b.*$", re.M)


def total(matches):
    return sum(int(match) for match in matches)


def count(status, output):
    """(passed, failed, skipped) of one ctest test."""
    ours = OURS.findall(output)
    if ours:
        passed, failed, skipped = (total(m[i] or 0 for m in ours) for i in range(3))
    elif CMOCKA_PASSED.search(output) or CMOCKA_FAILED.search(output):
        passed = total(CMOCKA_PASSED.findall(output))
        failed = total(CMOCKA_FAILED.findall(output))
        skipped = total(CMOCKA_SKIPPED.findall(output))
    elif status == "skipped":
        return 0, 0, 1
    else:
        return (1, 0, 0) if status == "passed" else (0, 1, 0)
    if status == "failed" and failed == 0:
        failed = 1  # it crashed or ran out of time after what it reported
    return passed, failed, skipped


def status_of(case):
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None:
        # ctest also files tests that it could not start under "skipped".
        return "skipped" if case.get("status") == "notrun" and "SKIP_RETURN_CODE" in (
            case.find("skipped").get("message") or "") else "failed"
    return "passed"


def run(build, arguments, jobs):
    """Runs one build directory's tests; returns (passed, failed, skipped)."""
    report = pathlib.Path(build).resolve() / "Testing" / "junit.xml"
    report.unlink(missing_ok=True)
    big = str(1 << 30)
    subprocess.run(["ctest", "--test-dir", build, "-j", str(jobs), "--output-on-failure", "--no-tests=error",
                    "--test-output-size-passed", big, "--test-output-size-failed", big,
                    "--output-junit", str(report), *arguments], stdin=subprocess.DEVNULL, check=False)
    if not report.exists():
        print(f"FAIL ctest in {build} wrote no report")
        return 0, 1, 0
    sums = [0, 0, 0]
    print(f"\n{build}:")
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        counts = count(status_of(case), output)
        sums = [a + b for a, b in zip(sums, counts)]
        print(f"  {case.get('name'):32} {counts[0]:6} passed {counts[1]:4} failed {counts[2]:4} skipped "
              f"{float(case.get('time') or 0):8.1f} s")
        for note in NOTES.findall(output):
            print("      " + note)
    return tuple(sums)


def main(arguments):
    sums, group, jobs = [0, 0, 0], [], os.cpu_count()
    if arguments[:1] == ["--jobs"]:
        jobs, arguments = int(arguments[1]), arguments[2:]
    for argument in arguments + ["--"]:
        if argument != "--":
            group.append(argument)
        elif group:
            sums = [a + b for a, b in zip(sums, run(group[0], group[1:], jobs))]
            group = []
    print(f"\n{sums[0]} passed, {sums[1]} failed, {sums[2]} skipped", flush=True)
    return 1 if sums[1] or not sum(sums) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
