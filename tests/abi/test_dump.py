#!/usr/bin/env python3
"""The ABI of the public headers against the dump that was recorded: nothing that a compiled program relies on may
change; structs may grow at their end and functions may be added.

The dump is of a library made of the headers' declarations with empty bodies: it has the types as a C compiler sees
them, without the library's own. That the real library exports the same functions is test_symbols.sh. TL_BLESS=1 records
anew, for a change that is meant."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"])
RECORD = SOURCE / "tests" / "abi" / "tilelang.abi"
# Members behind the end are how option structs grow; "type_kind" keeps insertions in the middle an error.
GROWTH = """[suppress_type]
  type_kind = struct
  has_data_member_inserted_at = end
"""


def empty_bodies():
    text = "\n".join(path.read_text() for path in sorted((SOURCE / "include").glob("**/*.h")))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    body = ['#include "tilelang.h"']
    for name in (SOURCE / "tests" / "abi" / "symbols.txt").read_text().split():
        found = re.finditer(rf"([\w ]+[\w*] *\*?)\b({name}\([^;{{]*?\))\s*;", text, re.DOTALL)
        match = next(m for m in found if "return" not in m[1])  # not a call in an inline function
        result = match[1].split("TL_NODISCARD")[-1].strip()
        body.append(f"{result} {match[2]} {{ __builtin_trap(); }}")
    return "\n".join(body) + "\n"


def dump(source, directory, include=SOURCE / "include"):
    """Compiles and dumps; returns the dump's path."""
    c, library, out = (directory / name for name in ("headers.c", "headers.so", "headers.abi"))
    c.write_text(source)
    subprocess.run(["gcc", "-std=c99", "-g", "-O0", "-w", "-shared", "-fPIC", "-Wl,-soname,libtilelang", "-I",
                    include, c, "-o", library], check=True)
    text = subprocess.run(["abidw", "--no-show-locs", "--no-comp-dir-path", "--no-corpus-path", library],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    out.write_text(re.sub(r" path='[^']*'", "", text))
    return out


def differences(old, new, suppressions):
    done = subprocess.run(["abidiff", "--suppressions", suppressions, old, new], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    # Bit 8 is an incompatible change, bit 4 any; added functions alone are fine.
    removed = re.search(r"[1-9]\d* Removed", done.stdout)
    changed = re.search(r"[1-9]\d* Changed", done.stdout)
    broken = done.returncode & 11 or removed or changed
    return done.stdout if broken else ""


def main():
    if not shutil.which("abidw"):
        print("SKIP abidw is not installed (abigail-tools)\n0 passed, 0 failed, 1 skipped")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        suppressions = scratch / "growth.ini"
        suppressions.write_text(GROWTH)
        source = empty_bodies()
        new = dump(source, scratch)
        if os.environ.get("TL_BLESS") == "1":
            RECORD.write_text(new.read_text())
        if text := differences(RECORD, new, suppressions):
            failures.append("the ABI differs from the recorded one:\n" + text)
        # The test itself can fail: what is harmless passes, what breaks callers does not.
        for what, before, after, fine in [
            ("a member at the end", "uint32_t listings;", "uint32_t listings; uint32_t added;", True),
            ("a member in the middle", "int32_t opt_level;", "int32_t added; int32_t opt_level;", False),
            ("another parameter type", "tl_context_device_count(tl_context *context, size_t *count)",
             "tl_context_device_count(tl_context *context, uint32_t *count)", False),
        ]:
            directory = scratch / what.replace(" ", "_")
            shutil.copytree(SOURCE / "include", directory / "include")
            found = 0
            for header in directory.glob("include/**/*.h"):
                found += before in header.read_text()
                header.write_text(header.read_text().replace(before, after, 1))
            assert found == 1, what
            changed = dump(source.replace(before, after), directory, directory / "include")
            if (differences(RECORD, changed, suppressions) == "") != fine:
                failures.append(f"{what}: {'refused' if fine else 'not noticed'}")
    for failure in failures:
        print("FAIL", failure)
    print(f"{4 - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
