// The options of `mesh run` as they were given, a struct for each family. options/run_rows.cpp
// fills them, with a row for each option; the plan that is made of them owns them unchanged.
//
// A value that is checked or looked up becomes a member of the plan beside them; nothing is copied.
#pragma once

#include "host-tools/mesh/programs/toolkit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

class TurnChooser;
class Uplink;

/// The work of the nodes.
struct WorkOptions {
    std::string op;
    std::vector<std::string> app;      // a program, or several, each with nodes: PROGRAM@NODES
    std::vector<std::string> words;    // after --
    std::optional<std::int64_t> ranks; // that have the program; nothing: all nodes
    std::optional<std::int64_t> heap;  // bytes; nothing: as on a board
    bool strict = false;               // what MPI calls erroneous ends the run
    std::string tree;                  // "": the topology's, or what copies and avoid ask for
    std::string avoid;                 // NODE/PORT
    std::string schedule;              // "": the best that the tree has
    std::string element = "i32";
    std::string reduction = "sum";
    bool exclusive = false;
    std::uint16_t secret = 0; // numbers that each node gets behind the words, for itself
    std::string route = "ecube";
    std::int64_t root = 0;
    std::string target = "random";
    std::int64_t messages = 1;
    std::int64_t copies = 1;
};

/// The data of that work.
struct DataOptions {
    std::optional<std::int64_t> bytes;
    std::string packet; // a number, auto, or nothing: as the op likes it
    std::string input;
    std::string files; // folder
    std::string output;
};

/// Time, and the order of what happens.
struct ModelOptions {
    std::string ports = "all";
    double tau = 1;
    double tc = 0;
    bool lockstep = false;
    bool free = false;
    std::string order; // "": that of the engine
    std::uint64_t seed = 1;
};

inline constexpr std::array<std::string_view, 2> kEngines{"qemu", "sim"};
inline constexpr std::array<std::string_view, 2> kBoots{"fork", "exec"};

/// The network and its nodes, and how a person looks on.
struct RigOptions {
    std::string topology = "cube";
    std::optional<std::int64_t> dim; // nothing: what --ranks needs
    std::string engine = "qemu";
    std::string board = default_board();
    bool dry_run = false;
    double timeout_s = 20;
    double limit_s = 0; // of the whole run; 0: none
    std::string log;    // folder
    bool live = false;  // a picture of the run as it goes
    bool quiet = false; // no line of progress
    bool raw = false;   // console text as it is
    std::vector<std::int64_t> gdb;
    std::string boot;                    // "": fork, where the emulator is known to
    std::optional<std::uint32_t> memory; // megabytes
    std::optional<std::int64_t> host_at;
    std::string serial; // the host's cable to nodes that are there already: path of the device
    unsigned baud = 500'000;
    std::string image;
    std::string qemu = "qemu-system-arm";
    std::vector<std::string> miswire; // two of NODE/PORT
    std::string load;                 // mesh load: the image, as --app has it; nodes
    std::optional<std::int64_t> keep; // keep it in flash, as this version,
    bool older = false;               // also in place of a later one
    std::string flash;                // folder of flash memories; "": they end with the run
};

/// Faults, and what is left behind.
struct ResultOptions {
    std::string faults;
    std::string report;
    std::string capture; // file, kStandardOutput, or none
    std::optional<std::int64_t> capture_bytes;
    std::string expect;       // file
    std::string expect_steps; // see ops/expected_steps.hpp
    std::string junit;

    /// --report FILE.html: a page instead of JSON.
    bool wants_page() const { return report.ends_with(".html") || report.ends_with(".htm"); }
};

/// --report with this name goes to standard output, and the table to standard error; --capture, and
/// all else to standard error.
inline constexpr const char* kStandardOutput = "-";

/// The command line of one run; plan_run() makes sense of it.
struct RunArguments {
    std::vector<std::string> given; // options that are there, by their first names
    std::string title;              // the options that tell this run from others
    WorkOptions work;
    DataOptions data;
    ModelOptions model;
    RigOptions rig;
    ResultOptions results;
    bool alone = true; // false: one of several runs, which have no standard input
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    Uplink* uplink = nullptr;       // see RigPlan; of no option, but of the launcher
    TurnChooser* chooser = nullptr; // see RigPlan

    bool gives(std::string_view option) const {
        return std::ranges::find(given, option) != given.end();
    }
};

/// Where an option has no place.
enum OptionLimit : unsigned {
    kNotInSeries = 1, // a second run would overwrite its file, or it wants a person for each run
    kOfSeries = 2,    // is read for all runs of a series, not for each
    kNotInMatrix = 4, // the same of a matrix, which has options of its own
    kOfEmulators = 8, // and cables, which are not to be had of a mesh that is there already
    kOfMachine = 16,  // of two machines they differ, and the run is the same
};
struct LimitedOption {
    std::string_view name;
    unsigned limits;

    bool is(unsigned limit) const { return (limits & limit) != 0; }
};
inline constexpr std::array kLimitedOptions{
    LimitedOption{"--engine", kOfEmulators},
    LimitedOption{"--faults", kOfEmulators},
    LimitedOption{"--capture", kOfEmulators | kNotInSeries | kNotInMatrix | kOfMachine},
    LimitedOption{"--gdb", kOfEmulators | kNotInSeries | kNotInMatrix},
    LimitedOption{"--miswire", kOfEmulators},
    LimitedOption{"--qemu", kOfEmulators | kOfMachine},
    LimitedOption{"--capture-bytes", kOfEmulators | kNotInMatrix | kOfMachine},
    LimitedOption{"--memory", kOfEmulators | kNotInMatrix | kOfMachine},
    LimitedOption{"--image", kOfEmulators},
    LimitedOption{"--dry-run", kOfEmulators | kNotInSeries | kNotInMatrix},
    LimitedOption{"--boot", kOfEmulators},
    LimitedOption{"--flash", kOfEmulators},
    LimitedOption{"--output", kNotInSeries | kNotInMatrix | kOfMachine},
    LimitedOption{"--log", kNotInSeries | kNotInMatrix | kOfMachine},
    LimitedOption{"--live", kNotInSeries | kNotInMatrix | kOfMachine},
    LimitedOption{"--quiet", kOfMachine},
    LimitedOption{"--timeout", kOfMachine},
    LimitedOption{"--limit", kOfMachine},
    LimitedOption{"--raw", kNotInMatrix},
    LimitedOption{"--seed", kOfSeries},
    LimitedOption{"--repeat", kOfSeries | kNotInMatrix},
    LimitedOption{"--orders", kOfSeries | kNotInMatrix},
    LimitedOption{"--until-failure", kOfSeries | kNotInMatrix},
    LimitedOption{"--shard", kOfSeries | kNotInMatrix},
    LimitedOption{"--report", kOfSeries | kNotInMatrix},
    LimitedOption{"--junit", kOfSeries | kNotInMatrix},
};

/// True if an option, by its first name, has no place there.
constexpr bool is_limited(std::string_view option, unsigned limit) {
    return std::ranges::any_of(kLimitedOptions, [=](const LimitedOption& one) {
        return one.name == option && one.is(limit);
    });
}

} // namespace mesh::host
