// A run as data: its options, and the plan that is made of them (plan/plan.hpp) before anything is
// started.
#pragma once

#include "core/network.hpp"
#include "host-tools/mesh/common/bytes.hpp"
#include "host-tools/mesh/common/console_text.hpp"
#include "kernel/base/limits.hpp"
#include "rig_plan.hpp"
#include "run_options.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// The part of the plan that all runs share. Data that only one op needs is its own
/// (ops/operation.hpp), and the op says how much there is to move.
struct RunPlan {
    RunPlan() = default;
    RunPlan(RunArguments arguments, std::string again)
        : given(std::move(arguments.given)),
          work(std::move(arguments.work)),
          data(std::move(arguments.data)),
          model(std::move(arguments.model)),
          results(std::move(arguments.results)),
          alone(arguments.alone),
          command(std::move(again)) {
        rig.options = std::move(arguments.rig);
        rig.uplink = arguments.uplink;
        rig.chooser = arguments.chooser;
    }

    // As it was asked for.
    std::vector<std::string> given; // options, by their first names
    WorkOptions work;
    DataOptions data;
    ModelOptions model;
    ResultOptions results;
    bool alone = true;   // see RunArguments
    std::string command; // that repeats the run

    // Results of the options.
    RigPlan rig; // with its options
    NodeId root{0};
    std::uint32_t bytes = 4096;        // of a message, or of a node's block
    std::uint32_t packet_bytes = 1024; // of an external packet; 0: unbounded
    PortModel ports = PortModel::all;
    std::uint32_t copies = 1;
    std::optional<Bytes> input;                            // the data that nodes pull
    Bytes files;                                           // from wire::kFilesAt on: list, files
    std::size_t capture_bytes{};                           // to keep of each frame
    ConsoleText expected;                                  // what --expect has
    std::size_t workspace_bytes = limits::kWorkspaceBytes; // of a node, for what its op keeps

    bool gives(std::string_view option) const {
        return std::ranges::find(given, option) != given.end();
    }
    Network network() const { return rig.network; }
    std::uint32_t nodes() const { return node_count(rig.network); }
    /// The most bytes in one packet of these nodes.
    std::size_t payload_bytes() const { return rig.board.payload; }
    bool one_port() const { return ports != PortModel::all; }
    /// A node of this run, as a refusal calls it.
    std::string a_node() const {
        return rig.simulated() ? "a simulated node" : "a node of " + rig.board.name;
    }
};

} // namespace mesh::host
