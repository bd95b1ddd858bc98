// The bit tricks agree with their definitions, bit by bit.
#include "core/base/bits.hpp"

#include <gtest/gtest.h>

namespace mesh {
namespace bits_test {

TEST(Bits, RotationMovesEveryBitByCount) {
    for (unsigned width = 1; width <= 10; ++width) {
        for (std::uint32_t value = 0; value < 1u << width; ++value) {
            for (unsigned count = 0; count <= width; ++count) {
                std::uint32_t right = 0;
                for (unsigned bit = 0; bit < width; ++bit)
                    right |= ((value >> ((bit + count) % width)) & 1u) << bit;
                EXPECT_EQ(rotate_right(value, count, width), right);
                EXPECT_EQ(rotate_left(right, count, width), value);
            }
        }
    }
}

TEST(Bits, OddWeightIsTheParityOfTheOnes) {
    for (std::uint32_t value = 0; value < 1u << 16; ++value) {
        EXPECT_EQ(odd_weight(value), std::popcount(value) % 2 == 1);
        EXPECT_EQ(odd_weight(value << 16), std::popcount(value) % 2 == 1);
    }
}

TEST(Bits, NeighboursInTheGrayCodeDifferInOneBit) {
    for (std::uint32_t position = 0; position < 1u << 16; ++position) {
        EXPECT_EQ(std::popcount(gray(position) ^ gray(position + 1)), 1);
        EXPECT_EQ(gray_position(gray(position)), position);
    }
    EXPECT_EQ(gray_position(gray(0xDEADBEEFu)), 0xDEADBEEFu);
}

TEST(Bits, BitsAboveAreThoseLeftOfTheHighestOne) {
    EXPECT_EQ(bits_above(0), ~0u);
    for (unsigned bit = 0; bit < 31; ++bit) {
        EXPECT_EQ(bits_above(1u << bit), ~0u << bit << 1);
        EXPECT_EQ(bits_above((1u << bit) | 1u), ~0u << bit << 1);
        EXPECT_EQ(highest_bit((1u << bit) | 1u), bit);
        EXPECT_EQ(leading_zeroes((1u << bit) | 1u), 31 - bit);
        EXPECT_EQ(lowest_bit((1u << bit) | (1u << 31)), bit);
        EXPECT_EQ(lowest_one((1u << bit) | (1u << 31)), 1u << bit);
    }
    EXPECT_EQ(lowest_one(0), 0u);
}

} // namespace bits_test
} // namespace mesh
