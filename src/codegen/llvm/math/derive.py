#!/usr/bin/env python3
"""Derives the polynomial coefficients of this directory: weighted minimax by Remez exchange, with mpmath.

Prints each polynomial as hexadecimal literals, rounded to the type, with its error relative to the function it
serves, and constants in parts. Run again only to change a degree or an interval: the output is pasted into polynomials.h.
"""
from mpmath import mp, mpf, matrix, lu_solve, atanh, cos, erf, erfc, exp, log, log1p, pi, sin, sqrt
import math
import struct

mp.prec = 200


def to_type(x, bits):
    return mpf(float(x)) if bits == 53 else mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def remez(g, weight, low, high, degree):
    """Coefficients c[0..degree] minimizing max |weight(x) * (g(x) - sum c[k] x^k)| over [low, high], and that error."""
    n = degree + 2
    mid, half = (low + high) / 2, (high - low) / 2
    # The offsets keep clear of 0, where weights vanish and g needs its limit.
    points = [mid + mpf(2) ** -30 - half * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    grid = [low + (high - low) * (i + mpf(1) / 3) / 3000 for i in range(3000)]
    table = [(x, g(x), weight(x)) for x in grid]
    for _ in range(8):
        a, b = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                a[i, j] = x ** j
            a[i, n - 1] = (-1) ** i / weight(x)
            b[i] = g(x)
        solution = lu_solve(a, b)
        poly = [solution[j] for j in range(degree + 1)]
        errors = [w * (v - mp.polyval(poly[::-1], x)) for x, v, w in table]
        peaks, start = [], 0
        for i in range(1, len(grid) + 1):
            if i == len(grid) or (errors[i] > 0) != (errors[start] > 0):
                peaks.append(max(range(start, i), key=lambda k: abs(errors[k])))
                start = i
        while len(peaks) > n:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        if len(peaks) < n:
            break
        points = [grid[k] for k in peaks]
    return poly, max(abs(e) for e in errors)


def fit(name, g, weight, low, high, degree, bits):
    poly, ideal = remez(g, weight, low, high, degree)
    rounded = [to_type(c, bits) for c in poly]
    points = [low + (high - low) * (i + mpf(1) / 7) / 1999 for i in range(1999)]
    error = max(abs(weight(x) * (g(x) - mp.polyval(rounded[::-1], x))) for x in points)
    print(f"// {name}, degree {degree}: error 2^{float(mp.log(error, 2)):.1f} (unrounded 2^{float(mp.log(ideal, 2)):.1f})")
    print("{" + ", ".join(float(c).hex() for c in rounded) + "}\n")


def parts(name, x, bits, count):
    """A number as a sum of numbers of the type, each the rest of those before, rounded."""
    numbers = []
    for _ in range(count):
        numbers.append(to_type(x, bits))
        x -= numbers[-1]
    print(f"// {name} in {count} parts: " + ", ".join(float(n).hex() for n in numbers))


half_ln2 = log(2) / 2 * mpf("1.001")  # the reduction rounds in floating point
exp_tail = lambda r: (exp(r) - 1 - r - r * r / 2) / r ** 3
exp2_tail = lambda r: (mpf(2) ** r - 1 - r * log(2)) / r ** 2
log_tail = lambda f: (log1p(f) - f + f * f / 2) / f ** 3
for bits, exp_degree, exp2_degree, log_degree in ((24, 4, 4, 8), (53, 9, 9, 20)):
    print(f"// ---- {bits} bits")
    fit("expTail: (e^r - 1 - r - r^2/2) / r^3", exp_tail, lambda r: r ** 3 / exp(r), -half_ln2, half_ln2, exp_degree, bits)
    fit("exp2Tail: (2^r - 1 - r ln2) / r^2", exp2_tail, lambda r: r ** 2 / mpf(2) ** r, mpf(-1) / 2, mpf(1) / 2,
        exp2_degree, bits)
    fit("logTail: (log(1 + f) - f + f^2/2) / f^3", log_tail, lambda f: f ** 2, sqrt(mpf(1) / 2) - 1 - mpf(2) ** -20,
        sqrt(mpf(2)) - 1 + mpf(2) ** -20, log_degree, bits)
    ln2 = log(2)
    keep = 16 if bits == 24 else 42  # times an exponent of the type still exact
    high = mpf(math.floor(ln2 * 2 ** keep)) / 2 ** keep
    print("// ln2 in two parts, the first of", keep, "bits:", float(high).hex(), float(to_type(ln2 - high, bits)).hex())
    full = to_type(ln2, bits)
    print("// ln2 rounded, rest:", float(full).hex(), float(to_type(ln2 - full, bits)).hex())
    inv = to_type(1 / ln2, bits)
    print("// 1/ln2 rounded, rest:", float(inv).hex(), float(to_type(1 / ln2 - inv, bits)).hex(), "\n")

# Functions of r^2: z = r^2 for |r| <= pi/4.
quarter = (pi / 4 * mpf("1.01")) ** 2
sin_tail = lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z
cos_tail = lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2
# s = (m - 1) / (m + 1) for m in [sqrt(1/2), sqrt(2)]
largest_s = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.0001")
atanh_tail = lambda t: (atanh(sqrt(t)) / sqrt(t) - 1 - t / 3) / t ** 2
erf_tail = lambda z: erf(sqrt(z)) / sqrt(z) - 1
erfc_log = lambda t: -log(erfc(1 + t))  # its error counts as that of erfc beside erf
for bits, sin_degree, cos_degree, atanh_degree, erf_degree, erfc_degree, last in (
        (24, 3, 2, 3, 6, 8, mpf("3.95")), (53, 6, 5, 7, 12, 18, mpf(6))):
    print(f"// ---- {bits} bits")
    fit("sinTail: (sin r - r) / r^3 in r^2", sin_tail, lambda z: z * sqrt(z) / sin(sqrt(z)), mpf(0), quarter, sin_degree,
        bits)
    fit("cosTail: (cos r - 1 + r^2/2) / r^4 in r^2", cos_tail, lambda z: z ** 2 / cos(sqrt(z)), mpf(0), quarter,
        cos_degree, bits)
    fit("atanhTail: (atanh s - s - s^3/3) / s^5 in s^2", atanh_tail, lambda t: t ** 2 * sqrt(t) / atanh(sqrt(t)), mpf(0),
        largest_s, atanh_degree, bits)
    fit("erfTail: erf(x) / x - 1 in x^2", erf_tail, lambda z: sqrt(z) / erf(sqrt(z)), mpf(0), mpf(1), erf_degree, bits)
    fit("erfcLog: -log(erfc(1 + t)) in t", erfc_log, lambda t: erfc(1 + t) / erf(1 + t), mpf(0), last - 1, erfc_degree,
        bits)
    parts("pi/2", pi / 2, bits, 3)
    parts("2/pi", 2 / pi, bits, 1)
    parts("1/3", mpf(1) / 3, bits, 2)
# 2/pi for arguments from 2^17 (float) and 2^20 (double) on, whose products with its leading bits are whole turns:
# a 24-bit (53-bit) significand times 2^e shifts it by e - 2 bits, at least by -8 (-34).
mp.prec = 1400
for bits, zeros, count in ((32, 8, 7), (64, 34, 19)):
    words = int(mp.floor(2 / pi * mpf(2) ** (bits * count - zeros)))
    print(f"// 2/pi after {zeros} zeros, in words of {bits} bits:")
    print(", ".join(f"0x{words >> bits * (count - 1 - i) & (1 << bits) - 1:0{bits // 4}x}" for i in range(count)))
