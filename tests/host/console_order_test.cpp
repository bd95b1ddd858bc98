// The order of console lines in lockstep: by round, in a round by node, and none is lost.
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/run/console_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mesh::host {
namespace console_order_test {

class ConsoleOrderTest : public testing::Test {
protected:
    std::vector<std::string> printed;
    ConsoleOrder order{[this](NodeId from, std::string_view line) {
        printed.push_back(std::to_string(index(from)) + std::string(line));
    }};
};

TEST_F(ConsoleOrderTest, LinesOfARoundComeOutByNodeWhenItIsOver) {
    order.add(1, NodeId{2}, "a");
    order.add(1, NodeId{0}, "b");
    order.add(1, NodeId{2}, "c");
    order.begin(1);
    EXPECT_TRUE(printed.empty());
    order.add(2, NodeId{1}, "d");
    EXPECT_EQ(printed, (std::vector<std::string>{"0b", "2a", "2c"}));
    order.begin(3);
    EXPECT_EQ(printed.back(), "1d");
}

TEST_F(ConsoleOrderTest, NoLineIsLostHoweverItEndsAndHoweverManyThereAre) {
    const std::string line(bounds::kLineBytesMax, 'x');
    const std::size_t lines = bounds::kRoundBytesMax / line.size() + 1;
    for (std::size_t at = 0; at < lines; ++at)
        order.add(1, NodeId{1}, line);
    EXPECT_GT(printed.size(), lines / 2); // what is kept is bounded
    order.flush();
    EXPECT_EQ(printed.size(), lines);
    {
        ConsoleOrder short_lived(
            [this](NodeId, std::string_view) { printed.emplace_back("last"); });
        short_lived.add(1, NodeId{0}, "");
    }
    EXPECT_EQ(printed.back(), "last");
}

} // namespace console_order_test
} // namespace mesh::host
