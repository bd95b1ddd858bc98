// The plan of a rig: what an engine must know to bring its nodes to life.
#pragma once

#include "board_facts.hpp"
#include "core/network.hpp"
#include "host-tools/mesh/cables/faults.hpp"
#include "host-tools/mesh/cables/order.hpp"
#include "host-tools/mesh/cables/wiring.hpp"
#include "host-tools/mesh/common/promise.hpp"
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
};

/// All that an engine must know to come to life.
struct RigPlan {
    Network network;
    BoardFacts board;
    std::vector<RigProgram> programs;     // one at least
    std::vector<std::uint8_t> program_of; // by node, which of them; empty: all run the first
    double timeout_s = 20;                // a node of a simulation that computes for three of these
    double limit_s = 0;                   // is ended, or when the whole run has had its time
    std::string qemu;                     // qemu: path of the program
    Wiring wiring;                        // wiring_of(network), unless cables are to be mis-plugged
    FaultPlan faults;
    std::size_t heap_bytes = 12 << 20; // sim: of a program with a main(), as on mps2-an505
    std::optional<OrderPlan> order;    // sim: of its own, see order.hpp
    bool one_cable = false;  // node 0 alone has a host cable, and nodes get their numbers by it
    std::string loader;      // qemu: path of the image that nodes boot with, which then gets and
                             // starts that of the first program; "": they boot with their program
    std::uint32_t keep = 0;  // they keep it in flash, as this version; 0: they do not
    bool older = false;      // also in place of a later version
    std::string flash;       // qemu: folder of the nodes' flash memories; "": they end with the run
    std::string serial;      // that cable, to nodes that are there already: path of the device
    unsigned baud = 0;       // of it
    bool lockstep = false;   // Job::lockstep; the simulation is always in lockstep
    std::vector<NodeId> gdb; // qemu: held at reset for a debugger
    bool sandbox = false;    // qemu: it can confine itself to what a node needs
    bool fork = false;       // qemu: by one emulator for all nodes, if that can be
    std::string why_not_fork; // if it cannot be, and nobody has asked for one or the other way
    bool exec_fits = true;    // qemu: there is memory to start each emulator by itself
    Uplink* uplink = nullptr; // qemu: the ranks that share the nodes; nullptr: this process has all

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
    return plan.gdb.empty() ? static_cast<std::uint64_t>(plan.timeout_s * kPart) : wire::kNever;
}

} // namespace mesh::host
