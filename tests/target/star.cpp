// The claims of firmware/core about stars of 3..6 symbols, checked by the very code that the
// Cortex-M runs.
#include "tests/core/star_claims.hpp"
#include "tests/target/suite.hpp"

int main() {
    mesh::target::Suite suite("star");
    mesh::claims::for_each_star_claim(
        6, [&](const char* claim, mesh::claims::Verdict verdict) { suite.claim(claim, !verdict); });
    return suite.end();
}
