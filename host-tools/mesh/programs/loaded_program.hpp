// A program in a simulation: loaded once, with globals and statics for each node.
//
// There is one place for globals in memory, which has those of one node at a time. They are swapped
// when a process of another node runs. Only pages that some node has ever written to are swapped:
// at first all can be read only, and the first write to a page is a fault, which unlocks it for
// good. So a table that nobody changes, and the rest of an array that is larger than its use, cost
// nothing. If the program has many, its own are mapped and not copied, and only those of the
// library are. Between the two lie pages that nobody may touch.
#pragma once

#include "kernel/node/kernel.hpp"
#include "shelves.hpp"

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
    LoadedProgram(const LoadedProgram&) = delete;
    LoadedProgram& operator=(const LoadedProgram&) = delete;
    ~LoadedProgram();

    Program entry() const { return entry_; }
    bool has_globals() const { return !globals_.empty(); }
    /// Gives the place to this node's globals. Costs two copies of the pages that were written to,
    /// or a mapping.
    void enter(NodeId node);
    /// The node begins anew, with the values that the program was loaded with.
    void reset(NodeId node);

    /// For the handler of a fault: true if it was the first write to a page of the globals of a
    /// program. Whoever wrote there may try again.
    static bool unlock(std::uintptr_t address);

private:
    bool unlock_page(std::uintptr_t address);
    std::span<std::byte> page(std::size_t number) const;

    Program entry_ = nullptr;
    Shelves shelves_;              // of the program's own globals, if they are many
    std::span<std::byte> globals_; // whole pages, all others
    std::vector<std::byte> initial_;
    std::vector<std::size_t> written_; // pages, in the order of the first writes to them
    std::vector<bool> is_written_;     // by page
    // By node, while another one has the place: as many of the written pages as there were then.
    // The others are as they were loaded.
    std::vector<std::vector<std::byte>> kept_;
    NodeId inside_ = kNoNode;
};

} // namespace mesh::host
