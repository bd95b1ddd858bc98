// Lab 5: what does a message cost? Given: it stays as it is.
//
// A packet of b bytes takes tau + b * tc on a link. The run knows both numbers (--tau, --tc), the
// program measures them.
#include "meshputer.hpp"

using namespace mesh;

struct Cost {
    double start = 0; // tau, in units
    double byte = 0;  // tc, in units for a byte
};

constexpr Tag kTag = 1;
constexpr NodeId kFirst{0}, kSecond{1};

/// Model time in units.
double units_now(Kernel& node) {
    return static_cast<double>(node.now()) / static_cast<double>(wire::kTicksPerUnit);
}

#include "answer.hpp"

Process app_main(Kernel& node) {
    Cost cost;
    const Status status = co_await measure(node, cost);
    if (node.id() == kFirst)
        print("tau {:.2f} tc {:.4f}\n", cost.start, cost.byte);
    co_return status;
}
