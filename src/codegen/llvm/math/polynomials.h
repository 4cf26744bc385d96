// Coefficients of the functions of this directory, made by derive.py (weighted minimax, Remez
// exchange). Each error is relative to the whole function that the polynomial serves.
#pragma once

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

} // namespace tl::math
