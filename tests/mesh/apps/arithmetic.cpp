// Prints the bits of sums of products, which a fused multiply-add would change: a dot product, a
// logistic map that doubles every difference, and a polynomial.
#include "meshputer.hpp"

#include <bit>
#include <cstdio>

namespace {

constexpr unsigned kRounds = 40;

float dot(float seed) {
    float sum = 0;
    float x = seed;
    for (unsigned round = 0; round < kRounds; ++round) {
        sum += x * x;
        x = x * 1.37f + 0.11f;
    }
    return sum;
}

float logistic(float x) {
    for (unsigned round = 0; round < kRounds; ++round)
        x = 3.9f * x - 3.9f * x * x;
    return x;
}

float polynomial(float x) {
    float value = 1;
    for (unsigned round = 1; round < kRounds; ++round)
        value = value * x + 1.0f / static_cast<float>(round);
    return value;
}

unsigned bits(float value) { return std::bit_cast<unsigned>(value); }

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const float seed = 0.1f + 0.01f * static_cast<float>(mesh::index(node.id()));
    printf("%08x %08x %08x\n", bits(dot(seed)), bits(logistic(seed)), bits(polynomial(seed)));
    co_return mesh::Status::ok;
}
