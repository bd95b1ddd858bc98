// The claims of firmware/core, checked by the very code that the Cortex-M runs.
#include "tests/core/claims.hpp"
#include "tests/target/suite.hpp"

namespace {
constexpr unsigned kDimMax = 5;
} // namespace

int main() {
    mesh::target::Suite suite("core");
    mesh::claims::for_each_claim(kDimMax, [&](const char* claim, mesh::claims::Verdict verdict) {
        suite.claim(claim, !verdict);
    });
    return suite.end();
}
