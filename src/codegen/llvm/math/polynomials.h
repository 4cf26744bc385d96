// Coefficients of the functions of this directory, made by derive.py (weighted minimax, Remez
// exchange). Each error is relative to the whole function that the polynomial serves.
#pragma once

#include <cstdint>

namespace tl::math {

/// (e^r - 1 - r - r^2/2) / r^3; error 2^-30.9.
constexpr double expTailFloat[] = {0x1.55553cp-3, 0x1.5554f2p-5, 0x1.1136a2p-7, 0x1.6d40b4p-10,
                                   0x1.6c4c8p-13};
/// (2^r - 1 - r ln2) / r^2; error 2^-27.9.
constexpr double exp2TailFloat[] = {0x1.ebfbdcp-3, 0x1.c6af88p-5, 0x1.3b2e0ep-7, 0x1.5f0394p-10,
                                    0x1.414bfcp-13};
/// (log(1 + f) - f + f^2/2) / f^3; error 2^-29.9.
constexpr double logTailFloat[] = {0x1.555546p-2,  -0x1.ffffeep-3, 0x1.99a53ep-3,
                                   -0x1.5562e4p-3, 0x1.233358p-3,  -0x1.fb43cep-4,
                                   0x1.e647c6p-4,  -0x1.e2e23cp-4, 0x1.1b4ee2p-4};
/// (e^r - 1 - r - r^2/2) / r^3; error 2^-60.2.
constexpr double expTailDouble[] = {
    0x1.555555555555dp-3,  0x1.555555555556fp-5,  0x1.111111110e2f3p-7,  0x1.6c16c16c07d5bp-10,
    0x1.a01a01b70d767p-13, 0x1.a01a01fce9c1cp-16, 0x1.71dde775f62e8p-19, 0x1.27e40b34dd91cp-22,
    0x1.af7a9c1aab09ep-26, 0x1.20d23b305d64bp-29};
/// (2^r - 1 - r ln2) / r^2; error 2^-57.6.
constexpr double exp2TailDouble[] = {
    0x1.ebfbdff82c5a1p-3,  0x1.c6b08d704a045p-5,  0x1.3b2ab6fba07cbp-7,  0x1.5d87fe78c3914p-10,
    0x1.4309130db8b49p-13, 0x1.ffcbfbc6ef061p-17, 0x1.62bfca183bc97p-20, 0x1.b526553d402fbp-24,
    0x1.e617745c966aap-28, 0x1.e7c25eb27ff4ap-32};
/// (log(1 + f) - f + f^2/2) / f^3; error 2^-58.6.
constexpr double logTailDouble[] = {
    0x1.5555555555557p-2, -0x1.0000000000048p-2, 0x1.999999999932ep-3, -0x1.555555554a36cp-3,
    0x1.24924924ca509p-3, -0x1.000000053b128p-3, 0x1.c71c71ae49096p-4, -0x1.9999970d5cd74p-4,
    0x1.745d192c42686p-4, -0x1.5555b1d665c4dp-4, 0x1.3b13d81f35ae3p-4, -0x1.248a518baf242p-4,
    0x1.11063f0c337eap-4, -0x1.00692946d94b5p-4, 0x1.e3ba4157fdc33p-5, -0x1.c145840b3c6c3p-5,
    0x1.9b05eee81c252p-5, -0x1.a672447f97676p-5, 0x1.f080de663c24fp-5, -0x1.c23d8d39d92b8p-5,
    0x1.7b50c7960dbf7p-6};

/// ln 2 as a number of the type and the rest.
constexpr double ln2Float[] = {0x1.62e43p-1, -0x1.05c61p-29};
constexpr double ln2Double[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
/// ln 2 as a number short enough that its products with exponents are exact, and the rest.
constexpr double ln2ShortFloat[] = {0x1.62e4p-1, 0x1.7f7d1cp-20};
constexpr double ln2ShortDouble[] = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};
/// 1 / ln 2 as a number of the type and the rest.
constexpr double inverseLn2Float[] = {0x1.715476p+0, 0x1.4ae0cp-26};
constexpr double inverseLn2Double[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

/// (sin r - r) / r^3, in r^2; error 2^-28.0.
constexpr double sinTailFloat[] = {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f12p-13, 0x1.6cb84ep-19};
/// (sin r - r) / r^3, in r^2; error 2^-57.2.
constexpr double sinTailDouble[] = {
    -0x1.5555555555555p-3,  0x1.111111111110ap-7,  -0x1.a01a01a01882dp-13, 0x1.71de3a530196ep-19,
    -0x1.ae64524ffa017p-26, 0x1.612064e080618p-33, -0x1.aa8ea4e26059cp-41};
/// (cos r - 1 + r^2/2) / r^4, in r^2; error 2^-30.3.
constexpr double cosTailFloat[] = {0x1.55554ap-5, -0x1.6c0bc6p-10, 0x1.99cbdep-16};
/// (cos r - 1 + r^2/2) / r^4, in r^2; error 2^-59.3.
constexpr double cosTailDouble[] = {0x1.5555555555549p-5,  -0x1.6c16c16c14c93p-10,
                                    0x1.a01a019c3829cp-16, -0x1.27e4f7b2dfb28p-22,
                                    0x1.1ee9b128851a3p-29, -0x1.8f906069c03f3p-37};
/// (atanh s - s - s^3/3) / s^5, in s^2; error 2^-38.6.
constexpr double atanhTailFloat[] = {0x1.999998p-3, 0x1.249374p-3, 0x1.c65996p-4, 0x1.8eb002p-4};
/// (atanh s - s - s^3/3) / s^5, in s^2; error 2^-66.4.
constexpr double atanhTailDouble[] = {
    0x1.9999999999996p-3, 0x1.249249249302ap-3, 0x1.c71c71c581ac9p-4, 0x1.745d1831be4f5p-4,
    0x1.3b1362dc06d03p-4, 0x1.1120b0206ce7fp-4, 0x1.de3448e60eaf1p-5, 0x1.eb0a4deed16e2p-5};
/// erf(x) / x - 1, in x^2; error 2^-28.0.
constexpr double erfTailFloat[] = {0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2cf8p-4, -0x1.b7f90ep-6,
                                   0x1.5405cap-8, -0x1.a3f814p-11, 0x1.496e0ap-14};
/// erf(x) / x - 1, in x^2; error 2^-56.1.
constexpr double erfTailDouble[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b2p-4,   -0x1.b82ce3128497fp-6,
    0x1.565bcd0db008ep-8,  -0x1.c02db3d8ea83fp-11, 0x1.f9a321a1297a2p-14, -0x1.f4d1df3f62301p-17,
    0x1.b9def222f1f67p-20, -0x1.5f1d3cb36564fp-23, 0x1.f7a4606b5ea24p-27, -0x1.386bd99a429c3p-30,
    0x1.057d00bf009fp-34};
/// -log(1 - erf(1 + t)), in t; error 2^-26.7.
constexpr double erfcLogFloat[] = {0x1.d97fcp+0,    0x1.51c9bp+1,   0x1.afabb4p-1,
                                   0x1.547f5ep-5,   -0x1.494e26p-7, 0x1.084ec4p-9,
                                   -0x1.334ba8p-12, 0x1.831fe8p-16, -0x1.cd0646p-23};
/// -log(1 - erf(1 + t)), in t; error 2^-55.9.
constexpr double erfcLogDouble[] = {
    0x1.d97fbf27aa2a1p+0,   0x1.51c9b0006c23cp+1,   0x1.afabc11a290fbp-1,   0x1.5477f09c72e08p-5,
    -0x1.48c9d3fed8722p-7,  0x1.033f67b85dfd5p-9,   -0x1.f1b4110b326fbp-13, -0x1.b8d2ddc7fe4d8p-16,
    0x1.c7912346f6aa5p-16,  -0x1.42306ff62f41ep-17, 0x1.1398b2dd8aa68p-19,  -0x1.2a086cb05e636p-23,
    -0x1.aa39a56a785ffp-24, 0x1.c224c5bedf1e8p-25,  -0x1.ffbad2dac7365p-27, 0x1.84804a6642333p-29,
    -0x1.88d88b0e8636fp-32, 0x1.e0b85a86ca553p-36,  -0x1.0d7e38a077afep-40};

/// 1/3 as a number of the type and the rest.
constexpr double thirdFloat[] = {0x1.555556p-2, -0x1.555556p-27};
constexpr double thirdDouble[] = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
/// pi/2 as the sum of three numbers of the type, each the rest of those before, rounded.
constexpr double halfPiFloat[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
constexpr double halfPiDouble[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                   -0x1.f1976b7ed8fbcp-110};
constexpr double twoByPiFloat = 0x1.45f306p-1;
constexpr double twoByPiDouble = 0x1.45f306dc9c883p-1;
/// The bits of 2/pi after the point, the first ones zeros that are put there (8, and 34 for
/// double), so that a float's exponent of 17 (a double's of 20) shifts them by nothing.
constexpr uint32_t twoByPiWords32[] = {0x00a2f983, 0x6e4e4415, 0x29fc2757, 0xd1f534dd,
                                       0xc0db6295, 0x993c4390, 0x41fe5163};
constexpr uint64_t twoByPiWords64[] = {
    0x0000000028be60db, 0x9391054a7f09d5f4, 0x7d4d377036d8a566, 0x4f10e4107f9458ea,
    0xf7aef1586dc91b8e, 0x909374b801924bba, 0x827464873f877ac7, 0x2c4a69cfba208d7d,
    0x4baed1213a671c09, 0xad17df904e64758e, 0x60d4ce7d272117e2, 0xef7e4a0ec7fe25ff,
    0xf7816603fbcbc462, 0xd6829b47db4d9fb3, 0xc9f2c26dd3d18fd9, 0xa797fa8b5d49eeb1,
    0xfaf97c5ecf41ce7d, 0xe294a4ba9afed7ec, 0x47e357421580cc11};

} // namespace tl::math
