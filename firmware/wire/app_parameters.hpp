// What the job of a program of the user's own says beyond the job that all ops share: the bytes of
// wire::Job::parameters.
#pragma once

#include "core/base/rules.hpp"

#include <cstdint>

namespace mesh::wire {

struct AppParameters {
    std::uint32_t ranks = 0;   // nodes that a main() runs on, from node 0 on; 0: all
    Rule tree = Rule::unicast; // of MPI_Bcast() to all nodes; unicast: the network's usual one
    std::uint32_t began = 0;   // what time() says when the program begins, in seconds
};

} // namespace mesh::wire
