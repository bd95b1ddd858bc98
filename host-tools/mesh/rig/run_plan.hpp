// A run as data: the command line as it was typed, and the plan that is made of it (plan/plan.hpp)
// before anything is started.
#pragma once

#include "core/network.hpp"
#include "host-tools/mesh/common/bytes.hpp"
#include "host-tools/mesh/common/console_text.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "kernel/base/limits.hpp"
#include "rig_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The command line as it was typed; plan_run() makes sense of it.
struct RunArguments {
    std::vector<std::string> given; // options that are there, by their first names
    bool gives(std::string_view option) const {
        return std::ranges::find(given, option) != given.end();
    }
    std::string engine = "qemu";
    std::string board = default_board();
    std::string topology = "cube";
    std::optional<std::int64_t> dim; // nothing: what `ranks` needs
    std::string op;
    std::vector<std::string> app;      // a program, or several, each with nodes: PROGRAM@NODES
    std::vector<std::string> words;    // after --
    std::optional<std::int64_t> ranks; // that have the program; nothing: all nodes
    std::optional<std::int64_t> heap;  // bytes; nothing: as on a board
    std::string tree;                  // "": the topology's, or what copies and avoid ask for
    std::string avoid;                 // NODE/PORT
    std::string schedule;              // "": the best that the tree has
    std::string element = "i32";
    std::string reduction = "sum";
    bool exclusive = false;
    std::string route = "ecube";
    std::int64_t root = 0;
    std::string target = "random";
    std::int64_t messages = 1;
    std::optional<std::int64_t> bytes;
    std::string packet; // a number, auto, or nothing: as the op likes it
    std::string ports = "all";
    double tau = 1;
    double tc = 0;
    std::int64_t copies = 1;
    std::string input;
    std::string files; // folder
    bool alone = true; // false: one of several runs, which have no standard input
    std::string output;
    std::string faults;
    std::string order; // "": that of the engine
    std::uint64_t seed = 1;
    bool lockstep = false;
    bool free = false;
    bool raw = false;
    bool live = false;
    bool quiet = false;
    std::string report;
    std::string capture;
    std::optional<std::int64_t> capture_bytes;
    double timeout_s = 20;
    bool dry_run = false;
    std::string junit;
    double limit_s = 0;
    std::string log;
    std::string expect;
    std::vector<std::int64_t> gdb;
    std::string boot;                    // "": fork, where the emulator is known to
    std::optional<std::uint32_t> memory; // megabytes
    std::optional<std::int64_t> host_at;
    std::string load;                 // mesh load: the image, as --app has it
    std::optional<std::int64_t> keep; // as this version
    std::string flash;
    std::string serial;
    unsigned baud = 500'000;
    bool older = false;
    std::string image;
    std::string qemu = "qemu-system-arm";
    std::vector<std::string> miswire; // two of NODE/PORT
    Uplink* uplink = nullptr;         // see RigPlan; of no option, but of the launcher
};

/// --report with this name goes to standard output, and the table to standard error; --capture, and
/// all else to standard error.
inline constexpr const char* kStandardOutput = "-";

/// The part of the plan that all runs share. Data that only one op needs is its own
/// (ops/operation.hpp), and the op says how much there is to move.
struct RunPlan {
    std::string engine;
    RigPlan rig;
    NodeId root{0};
    std::uint32_t bytes = 4096;        // of a message, or of a node's block
    std::uint32_t packet_bytes = 1024; // of an external packet; 0: unbounded
    PortModel ports = PortModel::all;
    std::string ports_name;
    double tau = 1;
    double tc = 0;
    std::uint32_t copies = 1;
    std::optional<Bytes> input; // the data that nodes pull
    Bytes files;                // and that from wire::kFilesAt on: a list, and files
    std::string output;
    std::uint64_t seed = 1;
    std::string report;
    std::string capture;         // file, kStandardOutput, or none
    std::size_t capture_bytes{}; // to keep of each frame
    double timeout_s = 20;
    double limit_s = 0;                                    // of the whole run; 0: none
    std::string log;                                       // folder
    bool raw = false;                                      // console text as it is
    std::string expect;                                    // file
    ConsoleText expected;                                  // what it has
    bool live = false;                                     // a picture of the run as it goes
    bool quiet = false;                                    // no line of progress
    std::string command;                                   // that repeats the run
    std::size_t workspace_bytes = limits::kWorkspaceBytes; // of a node, for what its op keeps
    std::uint64_t memory_kbyte = 0;                        // that its nodes need
    std::uint64_t memory_available_kbyte = 0;              // when it was planned

    Network network() const { return rig.network; }
    std::uint32_t nodes() const { return node_count(rig.network); }
    /// The most bytes in one packet of these nodes.
    std::size_t payload_bytes() const { return rig.board.payload; }
    /// --report FILE.html: a page instead of JSON.
    bool wants_page() const { return report.ends_with(".html"); }
    bool one_port() const { return ports != PortModel::all; }
    /// A node of this run, as a refusal calls it.
    std::string a_node() const {
        return engine == "sim" ? "a simulated node" : "a node of " + rig.board.name;
    }
};

} // namespace mesh::host
