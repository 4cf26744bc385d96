#!/usr/bin/env python3
"""The mistakes that tests/differential/test_planted.py plants: their text is in the sources, once, and together they
are of the kinds that random kernels are to find."""
import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tests" / "differential"))
import test_planted as planted  # noqa: E402

FEWEST = 20
KINDS = ["layout conversion", "tail mask", "padding", "swizzle", "barrier", "alias", "rounding", "fold", "cse",
         "loop carry"]


def problems(path):
    try:
        mistake = planted.read_mistake(path)
        planted.planted_text(mistake)
    except planted.Failure as problem:
        return [str(problem)], None
    return [], mistake["kind"]


def main():
    failed, passed, kinds = 0, 0, set()
    for path in sorted((SOURCE / "tests" / "differential" / "planted").glob("*.txt")):
        found, kind = problems(path)
        for problem in found:
            print(f"FAIL {path.name}: {problem}")
        failed += bool(found)
        passed += not found
        kinds.add(kind)
    missing = [kind for kind in KINDS if kind not in kinds]
    if missing:
        failed += 1
        print(f"FAIL no mistake of the kinds {', '.join(missing)}")
    if passed < FEWEST:
        failed += 1
        print(f"FAIL {passed} mistakes, fewer than {FEWEST}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
