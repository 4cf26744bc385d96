#!/usr/bin/env python3
"""Every exported function called with nothing but NULL and 0: none crashes, each that gives a status says
TL_E_INVALID_ARGUMENT, and each that gives an error object says it in words, too."""
import ctypes
import os
import pathlib
import re
import sys

INVALID_ARGUMENT = -1
# The status of no error is TL_OK.
LEGAL = {"tl_error_status"}
SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"])
LIBRARY = str(pathlib.Path(os.environ["TL_BUILD_DIR"]) / "lib" / "libtilelang.so")


def declarations():
    """[(name, result, has an error out-parameter, number of parameters)] of every declared function."""
    text = "\n".join(path.read_text() for path in sorted((SOURCE / "include").glob("**/*.h")))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    names = (SOURCE / "tests" / "abi" / "symbols.txt").read_text().split()
    found = []
    for name in names:
        match = re.search(rf"([\w ]+[\w*] *\*?)\b{name}\(([^;{{]*?)\)\s*;", text, re.DOTALL)
        if not match:
            sys.exit(f"FAIL no declaration of {name} found")
        parameters = 0 if match[2].strip() in ("", "void") else match[2].count(",") + 1
        found.append((name, match[1].split("TL_NODISCARD")[-1].strip(), "tl_error **" in match[2], parameters))
    return found


def call(name, result, has_error, parameters):
    library = ctypes.CDLL(LIBRARY)
    function = getattr(library, name)
    function.restype = {"tl_status": ctypes.c_int32, "void": None}.get(result, ctypes.c_void_p)
    arguments = [ctypes.c_void_p(0)] * parameters
    error = ctypes.c_void_p(0)
    value = function(*arguments)
    if result == "tl_status" and value != INVALID_ARGUMENT and name not in LEGAL:
        sys.exit(f"{name} gives {value}")
    if has_error:
        # The error object is the last parameter.
        arguments[-1] = ctypes.byref(error)
        function(*arguments)
        library.tl_error_message.restype = ctypes.c_char_p
        if not error or len(library.tl_error_message(error)) < 10:
            sys.exit(f"{name} gives no words")


def survives(function):
    """Calls it in a process of its own."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            call(*function)
            status = 0
        except SystemExit as error:
            print(f"FAIL {error}", flush=True)
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(f"FAIL {function[0]} called with zeros: signal {os.WTERMSIG(status)}")
    return status == 0


def main():
    outcomes = [survives(function) for function in declarations()]
    print(f"{outcomes.count(True)} passed, {outcomes.count(False)} failed, 0 skipped")
    return not all(outcomes)


if __name__ == "__main__":
    sys.exit(main())
