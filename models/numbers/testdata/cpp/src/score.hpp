#pragma once
#include <array>

struct Score {
    short mg, eg;
    constexpr Score(int m = 0, int e = 0) : mg(short(m)), eg(short(e)) {}
    constexpr Score operator+(Score o) const { return Score(mg + o.mg, eg + o.eg); }
    constexpr Score operator*(int k) const { return Score(mg * k, eg * k); }
};

constexpr Score S(int mg, int eg) { return Score(mg, eg); }
