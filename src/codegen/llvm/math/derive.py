#!/usr/bin/env python3
"""Derives the polynomial coefficients of this directory: weighted minimax by Remez exchange, with mpmath.

Prints each polynomial as hexadecimal literals, rounded to the type, with its error relative to the function it
serves. Run again only to change a degree or an interval: the output is pasted into polynomials.h.
"""
from mpmath import mp, mpf, matrix, lu_solve, exp, log, log1p, sqrt
import math
import struct

mp.prec = 160


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
