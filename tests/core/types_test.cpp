// Ports are served in the order that the sequence promises.
#include "core/base/types.hpp"

#include "examples.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh {
namespace types_test {

using examples::in_order;

std::vector<unsigned> walk(std::uint32_t set, unsigned first, bool down) {
    std::vector<unsigned> order;
    for (unsigned step = 0; step < 32; ++step) {
        const unsigned port = (first + (down ? 32 - step : step)) % 32;
        if (((set >> port) & 1u) != 0)
            order.push_back(port);
    }
    return order;
}

TEST(PortSequence, AnEmptySetHasNoPorts) {
    EXPECT_TRUE(PortSequence{}.empty());
    EXPECT_TRUE(PortSequence::descending(0, 5).empty());
    EXPECT_EQ(PortSequence{}.size(), 0u);
}

TEST(PortSequence, AscendingStartsAtFirstAndWrapsAround) {
    EXPECT_EQ(in_order(PortSequence::ascending(0b10110, 2)), (std::vector<unsigned>{2, 4, 1}));
}

TEST(PortSequence, DescendingStartsAtFirstAndWrapsAround) {
    EXPECT_EQ(in_order(PortSequence::descending(0b10110, 2)), (std::vector<unsigned>{2, 1, 4}));
}

TEST(PortSequence, EverySetAndStartIsServedInCyclicOrder) {
    for (std::uint32_t set = 0; set < 1u << 7; ++set) {
        const std::uint32_t spread = set | (set << 13) | (set << 25);
        for (unsigned first = 0; first < 32; ++first) {
            EXPECT_EQ(in_order(PortSequence::ascending(spread, first)), walk(spread, first, false));
            EXPECT_EQ(in_order(PortSequence::descending(spread, first)), walk(spread, first, true));
        }
    }
}

TEST(PortSequence, WithoutKeepsTheOrderOfTheOthers) {
    EXPECT_EQ(in_order(PortSequence::ascending(0b11111, 3).without(0b01001)),
              (std::vector<unsigned>{4, 1, 2}));
}

TEST(PortSequence, ContainsIsFalseForPortsThatAreNone) {
    const PortSequence all = PortSequence::ascending(~0u);
    EXPECT_TRUE(all.contains(port_at(31)));
    EXPECT_FALSE(all.contains(kNoPort));
    EXPECT_FALSE(all.contains(kHostPort));
}

} // namespace types_test
} // namespace mesh
