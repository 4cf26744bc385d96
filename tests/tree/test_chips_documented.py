"""The README's table of what there is names every AMD chip that the compiler takes, and no other."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])


def main():
    chips = set(re.findall(r"^TL_AMD_CHIP\((gfx\w+),", (ROOT / "src/codegen/targets.def").read_text(), re.M))
    table = re.search(r"^\| target or part .*?\n\n", (ROOT / "README.md").read_text(), re.M | re.S).group(0)
    named = set()
    for row in (line for line in table.splitlines() if line.startswith("|")):
        named |= set(re.findall(r"gfx\w+", row.split("|")[1]))
    wrong = [f"{chip} is not in the README's table" for chip in sorted(chips - named)]
    wrong += [f"the README's table names {chip}, which targets.def has not" for chip in sorted(named - chips)]
    for text in wrong:
        print("FAIL " + text)
    print(f"{len(chips & named)} passed, {len(wrong)} failed, 0 skipped")
    return 1 if wrong or not chips else 0


if __name__ == "__main__":
    sys.exit(main())
