// A program in a simulation: loaded once, with globals and statics for each node.
//
// There is one place for globals in memory, which holds those of the node that runs. They are
// swapped when another node has its turn, so they cost each node their size, and each turn two
// copies of them: 4 KiB take less time than a message does, 1 MiB as much as a thousand messages.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

class LoadedProgram {
public:
    /// `path`: a shared object, which stays loaded. `number`: which of the run's programs it is.
    /// UsageError: it cannot be loaded. RunError: no memory for so many nodes' globals.
    LoadedProgram(const std::string& path, unsigned number, std::uint32_t nodes);
    /// A program that is part of this one and has no globals.
    explicit LoadedProgram(Program own) : entry_(own) {}

    Program entry() const { return entry_; }
    /// Gives the place to this node's globals.
    void enter(NodeId node);
    /// The node begins anew, with the values that the program was loaded with.
    void reset(NodeId node);

private:
    Program entry_ = nullptr;
    std::span<std::byte> globals_;
    std::vector<std::byte> initial_;
    std::vector<std::vector<std::byte>> kept_; // by node, while another runs; empty: as loaded
    NodeId inside_ = kNoNode;
};

} // namespace mesh::host
