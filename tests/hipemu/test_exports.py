#!/usr/bin/env python3
"""Functions of the stand-in that no other test calls, each for what HIP's documentation says of it: the devices' facts,
copies and fills of the driver API, modules from files, occupancy, peers, pools, graphs built node by node. And every
exported function is called by some test or by the HIP driver."""
import ctypes as C
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["TL_BUILD_DIR"])
if os.environ.get("TL_SANITIZE"):
    print("SKIP Python is not sanitized, the library is")
    sys.exit(77)
os.environ["TL_EMU_DEVICES"] = "gfx942,gfx1100"
os.environ["TL_EMU_LOG"] = "0"
LIBRARY = BUILD / "lib" / "libtilelang-hipemu.so"
hip = C.CDLL(str(LIBRARY))
passed = failed = 0
INVALID_VALUE, PEER_ON, PEER_OFF, NO_FILE, WRONG_CHIP, NOT_AN_IMAGE = 1, 704, 705, 301, 209, 200
SIZE = C.c_size_t


def check(name, got, wanted):
    global passed, failed
    passed += got == wanted
    failed += got != wanted
    if got != wanted:
        print(f"FAIL {name}: {got!r}, not {wanted!r}")


def call(name, *arguments):
    return getattr(hip, name)(*arguments)


def good(name, *arguments):
    check(name, call(name, *arguments), 0)


def devices():
    number, other, text = C.c_int(-1), C.c_int(-1), C.create_string_buffer(4096)
    good("hipInit", 0)
    good("hipDriverGetVersion", C.byref(number))
    check("a version", number.value >= 50000000, True)
    good("hipDeviceGet", C.byref(number), 1)
    check("the second device", number.value, 1)
    check("a device too many", call("hipDeviceGet", C.byref(number), 2) != 0, True)
    good("hipDeviceGetName", text, 256, 0)
    check("its name", b"MI300X" in text.value, True)
    good("hipDeviceGetName", text, 4, 0)
    check("a short name ends", len(text.value), 3)
    good("hipDeviceComputeCapability", C.byref(number), C.byref(other), 0)
    check("gfx942", (number.value, other.value), (9, 4))
    good("hipDeviceComputeCapability", C.byref(number), C.byref(other), 1)
    check("gfx1100", (number.value, other.value), (11, 0))
    good("hipDeviceGetPCIBusId", text, 64, 0)
    check("its form", text.value.count(b":"), 2)
    good("hipDeviceGetUuid", text, 0)
    first = text.raw[:16]
    good("hipDeviceGetUuid", text, 1)
    check("devices differ", first != text.raw[:16], True)
    good("hipGetDevicePropertiesR0000", text, 0)
    check("the old properties begin with the name", b"MI300X" in text.raw[:256], True)
    good("hipDeviceGetStreamPriorityRange", C.byref(number), C.byref(other))
    check("the greatest priority is the lesser number", number.value >= other.value, True)
    good("hipSetDeviceFlags", 0)
    good("hipDeviceCanAccessPeer", C.byref(number), 0, 1)
    check("peers reach each other", number.value, 1)
    good("hipDeviceEnablePeerAccess", 1, 0)
    check("twice", call("hipDeviceEnablePeerAccess", 1, 0), PEER_ON)
    good("hipDeviceDisablePeerAccess", 1)
    check("off twice", call("hipDeviceDisablePeerAccess", 1), PEER_OFF)
    pool = C.c_void_p()
    good("hipDeviceGetMemPool", C.byref(pool), 0)
    good("hipDeviceSetMemPool", 0, pool)
    good("hipMemPoolTrimTo", pool, SIZE(0))
    words = C.c_char_p()
    for name, wanted in (("hipDrvGetErrorName", b"hipErrorNoBinaryForGpu"), ("hipDrvGetErrorString", None)):
        good(name, WRONG_CHIP, C.byref(words))
        check("words", words.value == wanted if wanted else len(words.value) > 5, True)
        check("no such error", call(name, 123456, C.byref(words)), INVALID_VALUE)


def memory():
    a, b, stream, flags = C.c_void_p(), C.c_void_p(), C.c_void_p(), C.c_uint(9)
    numbers, back = (C.c_uint32 * 64)(*range(64)), (C.c_uint32 * 64)()
    good("hipStreamCreateWithPriority", C.byref(stream), 1, -1)
    good("hipStreamGetFlags", stream, C.byref(flags))
    check("non-blocking", flags.value, 1)
    priority = C.c_int(9)
    good("hipStreamGetPriority", stream, C.byref(priority))
    check("its priority", priority.value, -1)
    good("hipMalloc", C.byref(a), SIZE(256))
    good("hipExtMallocWithFlags", C.byref(b), SIZE(256), 1)
    good("hipMemcpyHtoD", a, numbers, SIZE(256))
    good("hipMemcpyDtoD", b, a, SIZE(256))
    good("hipMemcpyDtoH", back, b, SIZE(256))
    check("there and back", list(back), list(range(64)))
    numbers[5] = 1234
    good("hipMemcpyHtoDAsync", a, numbers, SIZE(256), stream)
    good("hipMemcpyDtoDAsync", b, a, SIZE(256), stream)
    good("hipMemcpyDtoHAsync", back, b, SIZE(256), stream)
    good("hipStreamSynchronize", stream)
    check("on a stream", list(back), list(numbers))
    at = a.value
    good("hipMemsetD8", a, 7, SIZE(3))
    good("hipMemsetD16", C.c_void_p(at + 4), C.c_ushort(0x1234), SIZE(3))
    good("hipMemsetD32", C.c_void_p(at + 12), 0x55667788, SIZE(2))
    good("hipDeviceSynchronize")
    good("hipMemsetD8Async", C.c_void_p(at + 20), 9, SIZE(1), stream)
    good("hipMemcpyWithStream", back, a, SIZE(256), 2, stream)
    check("fills", [back[i] for i in range(6)], [0x00070707, 0x12341234, 0x00001234, 0x55667788, 0x55667788, (1234 & ~0xff) | 9])
    host, seen = C.c_void_p(), C.c_void_p()
    good("hipHostAlloc", C.byref(host), SIZE(64), 0)
    good("hipHostGetDevicePointer", C.byref(seen), host, 0)
    check("one address for both", seen.value, host.value)
    good("hipHostGetFlags", C.byref(flags), host)
    good("hipFreeHost", host)
    check("freed", call("hipHostGetFlags", C.byref(flags), host) != 0, True)
    return a, stream


def modules(stream):
    objects = BUILD / "tests" / "emu"
    path = str(objects / "vector_add_gfx942_O2.co").encode()
    module, function, blocks, threads = C.c_void_p(), C.c_void_p(), C.c_int(), C.c_int()
    good("hipModuleLoad", C.byref(module), path)
    check("no such file", call("hipModuleLoad", C.byref(C.c_void_p()), b"/nowhere"), NO_FILE)
    check("another chip's", call("hipModuleLoad", C.byref(C.c_void_p()), path.replace(b"gfx942", b"gfx1100")), WRONG_CHIP)
    image = pathlib.Path(path.decode()).read_bytes()
    good("hipModuleLoadDataEx", C.byref(module), image, 0, None, None)
    good("hipModuleGetFunction", C.byref(function), module, b"vectorAdd")
    good("hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", C.byref(blocks), function, 256, SIZE(0), 0)
    # A small kernel: 8 waves on each of 4 SIMDs, 4 waves in a block.
    check("blocks of 256 threads", blocks.value, 8)
    good("hipModuleOccupancyMaxPotentialBlockSizeWithFlags", C.byref(blocks), C.byref(threads), function, SIZE(0), 0, 0)
    check("all threads of a unit", blocks.value > 0 and threads.value % 64 == 0, True)
    good("hipFuncSetAttribute", function, 8, 65536)
    check("more LDS than there is", call("hipFuncSetAttribute", function, 8, 1 << 20) != 0, True)


def graphs(memory, stream):
    status, identity, graph, nodes, count = C.c_int(), C.c_ulonglong(), C.c_void_p(), C.c_void_p(), SIZE()
    good("hipStreamBeginCapture", stream, 0)
    good("hipMemsetD8Async", memory, 1, SIZE(8), stream)
    good("hipStreamGetCaptureInfo_v2", stream, C.byref(status), C.byref(identity), C.byref(graph), C.byref(nodes), C.byref(count))
    check("under capture, one node to wait for", (status.value, count.value, bool(graph.value)), (1, 1, True))
    good("hipStreamEndCapture", stream, C.byref(graph))
    run = C.c_void_p()
    good("hipGraphInstantiateWithFlags", C.byref(run), graph, C.c_ulonglong(0))
    good("hipGraphLaunch", run, stream)
    good("hipStreamSynchronize", stream)

    class Memset(C.Structure):
        _fields_ = [("dst", C.c_void_p), ("elementSize", C.c_uint), ("height", SIZE), ("pitch", SIZE), ("value", C.c_uint), ("width", SIZE)]

    class Host(C.Structure):
        _fields_ = [("fn", C.c_void_p), ("userData", C.c_void_p)]

    told = []
    function = C.CFUNCTYPE(None, C.c_void_p)(lambda user: told.append("node"))
    built, first, second, third = C.c_void_p(), C.c_void_p(), C.c_void_p(), C.c_void_p()
    back = (C.c_uint8 * 16)()
    good("hipGraphCreate", C.byref(built), 0)
    good("hipGraphAddMemsetNode", C.byref(first), built, None, SIZE(0), C.byref(Memset(memory, 1, 1, 16, 42, 16)))
    good("hipGraphAddMemcpyNode1D", C.byref(second), built, C.byref(first), SIZE(1), back, memory, SIZE(16), 2)
    good("hipGraphAddHostNode", C.byref(third), built, C.byref(second), SIZE(1), C.byref(Host(C.cast(function, C.c_void_p), None)))
    good("hipGraphNodeGetDependencies", third, None, C.byref(count))
    check("one dependency", count.value, 1)
    good("hipGraphInstantiateWithFlags", C.byref(run), built, C.c_ulonglong(0))
    good("hipGraphLaunch", run, stream)
    callback = C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_void_p)(lambda which, status, user: told.append(("callback", status)))
    good("hipStreamAddCallback", stream, callback, None, 0)
    good("hipStreamSynchronize", stream)
    check("in this order", (list(back), told), ([42] * 16, ["node", ("callback", 0)]))


def everything():
    """By name: what stands in a test or in the HIP driver's list."""
    out = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = {line.split()[-1].partition("@")[0] for line in out.splitlines()}
    words = ""
    for folder, endings in (("tests/hipemu", "c hip py cc"), ("tests/api", "c"), ("tests/unit", "cc"), ("src/driver/hip", "def cc")):
        for ending in endings.split():
            words += "".join(path.read_text() for path in (ROOT / folder).glob("*." + ending))
    # A HIP compiler's own calls, and those of a program with two_devices.hip's <<<>>>.
    implied = {name for name in names if name.startswith("__hip")}
    check("functions that no test calls", sorted(name for name in names - implied
                                                 if name.startswith(("hip", "tl_")) and name not in words), [])


devices()
allocation, own = memory()
modules(own)
graphs(allocation, own)
everything()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
