// Combine regions that the targets are tried with, as statements that make %r from a tile %x.
#pragma once

#include <string>

/// Products of complex numbers (x, 3 x) of wrapping integers: exact in any order. For reductions.
inline std::string complexProduct(const std::string &op, size_t axis) {
  return "  %i = mul %x, 3\n  %p, %q = " + op + " %x, %i, axis " + std::to_string(axis) +
         " combine (%e, %f) with (%g, %h) {\n    %ac = mul %e, %g\n    %bd = mul %f, %h\n"
         "    %re = sub %ac, %bd\n    %ad = mul %e, %h\n    %bc = mul %f, %g\n"
         "    %im = add %ad, %bc\n    yield %re, %im\n  }\n  %r = xor %p, %q\n";
}

/// Compositions of the maps t -> x t + (x xor 5): associative, not commutative. For scans.
inline std::string affineMaps(const std::string &op, size_t axis) {
  return "  %off = xor %x, 5\n  %p, %q = " + op + " %x, %off, axis " + std::to_string(axis) +
         " combine (%e, %f) with (%g, %h) {\n    %m = mul %e, %g\n    %bc = mul %f, %g\n"
         "    %n = add %bc, %h\n    yield %m, %n\n  }\n  %t = mul %p, 77\n  %r = xor %t, %q\n";
}

/// Maxima, whether one is negative, and a sum with a number from outside, of floats: three parts of
/// different types; %r is a mixture of them.
inline std::string mixedParts(const std::string &op, size_t axis, const std::string &type) {
  return "  %k = const 7 : i32\n  %zero = const 0.0 : " + type + "\n  %neg = cmp lt %x, %zero\n" +
         "  %n = cast %neg : i32\n  %m, %any, %s = " + op + " %x, %neg, %n, axis " +
         std::to_string(axis) +
         " combine (%top0, %or0, %sum0) with (%top1, %or1, %sum1) {\n    %top = max %top0, %top1\n"
         "    %or = or %or0, %or1\n    %cf = add %sum0, %sum1\n    %sum = add %cf, %k\n"
         "    yield %top, %or, %sum\n  }\n  %half = neg %m\n  %u = select %any, %half, %m\n"
         "  %v = cast %s : " +
         type + "\n  %r = max %u, %v\n";
}
