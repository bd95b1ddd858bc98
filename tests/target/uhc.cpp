// The claims of firmware/core about UHCs of 2..6 dimensions, checked by the very code that the
// Cortex-M runs.
#include "tests/core/uhc_claims.hpp"
#include "tests/target/suite.hpp"

int main() {
    mesh::target::Suite suite("uhc");
    mesh::claims::for_each_uhc_claim(
        6, [&](const char* claim, mesh::claims::Verdict verdict) { suite.claim(claim, !verdict); });
    return suite.end();
}
