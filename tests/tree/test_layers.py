"""The source tree keeps its rules: layers depend one way, LLVM stays in src/codegen and src/emu, the C API knows no internals."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# What each directory of src/ may include besides itself.
ALLOWED = {
    "support": set(),
    "graph": {"support", "artifact"},  # a graph describes its launch interface in the artifact's words
    "interp": {"support", "graph", "artifact"},
    "layout": {"support", "graph", "artifact"},
    "passes": {"support", "graph", "layout", "artifact"},
    "artifact": {"support"},
    "driver": {"support", "artifact"},
    "codegen": {"support", "graph", "layout", "passes", "artifact"},
    "capi": {"support", "graph", "interp", "artifact", "driver"},
    "emu": {"support"},
    "hipemu": {"support"},
    "tools": set(),
}
# The seam to the compiler library is bytes; its header is shared by both sides. So is the emulator's.
SEAM = {"codegen/compiler_abi.h", "emu/emulator.h", "emu/open_emulator.h"}


def violations(path):
    layer = path.relative_to(ROOT / "src").parts[0]
    for name in INCLUDE.findall(path.read_text()):
        top = name.split("/")[0]
        if top in ("llvm", "lld", "llvm-c") and layer not in ("codegen", "emu"):
            yield f"includes {name}: LLVM headers belong to src/codegen and src/emu"
        elif top in ALLOWED and "/" in name and top != layer and top not in ALLOWED[layer] and name not in SEAM:
            yield f"includes {name}: {layer} may use {', '.join(sorted(ALLOWED[layer])) or 'the public headers only'}"


def main():
    passed = failed = 0
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".cc", ".c", ".h", ".def"):
            continue
        wrong = list(violations(path))
        for text in wrong:
            print(f"FAIL {path.relative_to(ROOT)} {text}")
        failed += bool(wrong)
        passed += not wrong
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
