"""The devices that a test of kernels runs on: the one that $TL_RUN_DEVICE names ("cuda:0"), else the interpreter, the host
and, where the emulator was built, its chips."""
import os

CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]


def devices(chips=CHIPS):
    if one := os.environ.get("TL_RUN_DEVICE"):
        return [one]
    emulated = os.path.exists(os.path.join(os.environ["TL_BUILD_DIR"], "lib/libtilelang-emu.so"))
    return ["interp", "host"] + [f"emu:{chip}" for chip in chips if emulated]
