// Finds out from trace events what a process of an image waits for: images that were built to trace
// send each event, and of a blocked process the bytes of the object that it waits for.
#pragma once

#include "host-tools/mesh/engines/engine.hpp"
#include "host-tools/mesh/programs/image_symbols.hpp"
#include "wire/host_messages.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>

namespace mesh::host {

class ProcessTraces {
public:
    /// `plan` outlives it.
    explicit ProcessTraces(const RigPlan& plan) : plan_(plan) {}

    /// "a message with tag 3 from node 1"; "" if the process is not blocked. Any bytes are safe.
    std::string waits_for(NodeId node, const wire::ProcessTrace& trace,
                          std::span<const std::byte> object);

private:
    const RigPlan& plan_;
    std::unordered_map<std::string, ImageSymbols> images_;
};

} // namespace mesh::host
