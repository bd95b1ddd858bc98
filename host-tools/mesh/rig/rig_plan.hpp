// The plan of a rig: what an engine must know to bring its nodes to life.
#pragma once

#include "board_facts.hpp"
#include "core/network.hpp"
#include "host-tools/mesh/cables/faults.hpp"
#include "host-tools/mesh/cables/order.hpp"
#include "host-tools/mesh/cables/wiring.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "run_options.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

class Fd;
class Uplink;

/// A program that nodes run.
struct RigProgram {
    std::string name;  // as on the command line, or of an op
    std::string image; // qemu: path of the ELF image; sim: of the shared object, "" of an op's own
    std::shared_ptr<const Fd> unpacked{}; // the file behind `image`, if no folder has it
    bool waits_for_times = false;         // for some ticks, or with a guard that says so many
    bool may_read = false;                // standard input: ProgramFile::may_read()
};

/// All that an engine must know to come to life.
struct RigPlan {
    RigOptions options;
    Network network;
    BoardFacts board;
    std::vector<RigProgram> programs;     // one at least
    std::vector<std::uint8_t> program_of; // by node, which of them; empty: all run the first
    std::string qemu;                     // qemu: path of the program
    Wiring wiring;                        // wiring_of(network), unless cables are to be mis-plugged
    FaultPlan faults;
    std::size_t heap_bytes = 12 << 20; // sim: of a program with a main(), as on mps2-an505
    bool strict = false;               // sim: of programs over MPI, see hal/rank_notes.hpp
    TurnChooser* chooser = nullptr;    // of an order by turns; nullptr: it makes its own choices
    std::optional<OrderPlan> order;    // sim: of its own, see order.hpp
    bool one_cable = false;   // node 0 alone has a host cable, and nodes get their numbers by it
    std::string loader;       // qemu: path of the image that nodes boot with, which then gets and
                              // starts that of the first program; "": they boot with their program
    bool lockstep = false;    // Job::lockstep; the simulation is always in lockstep
    std::vector<NodeId> gdb;  // qemu: held at reset for a debugger
    bool sandbox = false;     // qemu: it can confine itself to what a node needs
    bool fork = false;        // qemu: by one emulator for all nodes, if that can be
    std::string why_not_fork; // if it cannot be, and nobody has asked for one or the other way
    bool exec_fits = true;    // qemu: there is memory to start each emulator by itself
    std::uint64_t memory_kbyte = 0;           // that its nodes need
    std::uint64_t memory_available_kbyte = 0; // when it was planned
    Uplink* uplink = nullptr; // qemu: the ranks that share the nodes; nullptr: this process has all

    bool serial() const { return !options.serial.empty(); }
    bool simulated() const { return !serial() && options.engine == "sim"; }
    std::string engine() const { return serial() ? "serial" : options.engine; }
    /// The version as which nodes keep their image in flash; 0: they do not.
    std::uint32_t keep() const { return static_cast<std::uint32_t>(options.keep.value_or(0)); }

    std::size_t program_number(NodeId node) const {
        promise(program_of.empty() || index(node) < program_of.size(), "a node without a program");
        return program_of.empty() ? 0 : program_of[index(node)];
    }
    const RigProgram& program(NodeId node) const {
        promise(program_number(node) < programs.size(), "a program that the rig does not have");
        return programs[program_number(node)];
    }
};

/// The time-out for nodes that do not say who they are, if one cable leads to all: less than that
/// of nodes that say nothing at all. A debugger may hold a node for ever.
inline std::uint64_t identify_timeout_us(const RigPlan& plan) {
    constexpr double kPart = 0.8e6;
    return plan.gdb.empty() ? static_cast<std::uint64_t>(plan.options.timeout_s * kPart)
                            : wire::kNever;
}

} // namespace mesh::host
