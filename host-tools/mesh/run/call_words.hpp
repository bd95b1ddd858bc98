// Calls of collectives that nodes have not made alike, in words.
#pragma once

#include "host-tools/mesh/engines/calls_apart.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace mesh::host {

/// "" each if there is nothing to say.
struct CallWords {
    std::string differ; // the first call that nodes have begun as different ones
    std::string missed; // the first ones that nodes have not begun which are still there
    std::string last{}; // the last calls of MPI of nodes that wait
};

/// `lives`: true for a node that has not gone. `place`: the function and line of an address in the
/// program of a node.
CallWords words_of_calls(std::span<const CallsApart> calls, std::uint32_t nodes,
                         const std::function<bool(std::uint32_t)>& lives, const PlaceOf& place);

/// The words for the last calls of these nodes. `last`: the call of a node.
std::string told_last_calls(std::span<const std::uint32_t> nodes,
                            const std::function<LastCall(std::uint32_t)>& last,
                            const PlaceOf& place);

} // namespace mesh::host
