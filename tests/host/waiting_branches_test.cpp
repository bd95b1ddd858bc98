#include "host-tools/mesh/programs/waiting_branches.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mesh::host {
namespace waiting_branches_test {

TEST(WaitingBranches, are_noted_with_their_line) {
    const std::string good = "    co_return co_await f(a && b ? c : d);\n"
                             "    if (a && co_await f())\n        co_return b ? c : d;\n";
    EXPECT_EQ(branches_that_wait("a.cpp", good), "");
    const auto note = [&good](const std::string& wrong) {
        const std::string said = branches_that_wait("a.cpp", good + wrong);
        return said.substr(0, said.find(" GCC waits"));
    };
    EXPECT_EQ(note("co_return a ? co_await f() : b;"), "note: a.cpp:4:");
    EXPECT_EQ(note("co_return a ? b :\n co_await f();"), "note: a.cpp:5:");
    EXPECT_EQ(note("co_return a && co_await f();"), "note: a.cpp:4:");
}

} // namespace waiting_branches_test
} // namespace mesh::host
