// The options of `mesh run`: what their table of limits names is there.
#include "host-tools/mesh/options/run_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mesh::host {
namespace {

TEST(RunOptions, EachThatIsLimitedIsThere) {
    const std::vector<RunOption> options = run_options();
    for (const LimitedOption& limited : kLimitedOptions)
        EXPECT_TRUE(limited.name == "--flash" || // of mesh load
                    std::ranges::any_of(options,
                                        [&](const RunOption& option) {
                                            return "--" + option.name == limited.name;
                                        }))
            << limited.name;
}

} // namespace
} // namespace mesh::host
