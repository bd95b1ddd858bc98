#include "host-tools/mesh/programs/waiting_branches.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mesh::host {
namespace waiting_branches_test {

TEST(WaitingBranches, are_noted_with_their_line) {
    const std::string good = "    co_return co_await f(a && b ? c : d);\n"
                             "    if (a && co_await f())\n        co_return b ? c : d;\n";
    EXPECT_EQ(branches_that_wait("a.cpp", good), "");
    for (const std::string wrong :
         {"co_return a ? co_await f() : b;", "co_return a ? b :\n co_await f();",
          "co_return a && co_await f();"})
        EXPECT_EQ(branches_that_wait("a.cpp", good + wrong).find("note: a.cpp:4: GCC waits here"),
                  0u)
            << wrong;
}

} // namespace waiting_branches_test
} // namespace mesh::host
