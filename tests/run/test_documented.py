"""The kernels that the pages show are right: each is run and compared with the reference interpreter."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])


def kernels():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for number, text in enumerate(re.findall(r"^```\w*\n(tile 0\.1\n.*?)^```", page.read_text(), re.M | re.S)):
            yield f"{page.relative_to(ROOT)}, kernel {number + 1}", text


def main():
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in kernels():
            file = pathlib.Path(scratch) / "kernel.tile"
            file.write_text(text)
            done = subprocess.run(["tlc", "run", file, "-d", "host", "--check"], capture_output=True, text=True, timeout=100)
            passed += done.returncode == 0
            failed += done.returncode != 0
            if done.returncode:
                print(f"FAIL {name}: {done.stderr.strip()}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or passed < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
