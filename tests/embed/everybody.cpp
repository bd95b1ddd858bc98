// All nodes add up what they measure: a collective.
#include "job.hpp"

#include <meshputer/meshputer.hpp>

#include <cstdio>

bool done = false;

mesh::Process job(mesh::Kernel& node) {
    float sum = volts(node);
    const mesh::Status status = co_await mesh::allreduce_value(node, sum);
    std::printf("node %u of %u: %.3f V in all, %s\n", static_cast<unsigned>(mesh::index(node.id())),
                static_cast<unsigned>(node.nodes()), sum,
                status == mesh::Status::ok ? "ok" : "failed");
    done = true;
    co_return status;
}
