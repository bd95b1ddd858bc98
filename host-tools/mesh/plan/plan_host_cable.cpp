#include "plan_host_cable.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/engines/serial_line.hpp"
#include "wire/load.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>

namespace mesh::host {

namespace {

void check_device(const std::string& device) {
    struct stat status = {};
    if (stat(device.c_str(), &status) != 0)
        refuse("--serial '{}': no such device", device);
    if (!S_ISCHR(status.st_mode))
        refuse("--serial '{}': not a serial line", device);
}

void check_serial(const RunPlan& run) {
    check_device(run.rig.options.serial);
    for (const std::string& option : run.given)
        if (is_limited(option, kOfEmulators))
            refuse(kCombination, "{} goes with an emulated mesh, not with --serial", option);
    const auto rates = baud_rates();
    if (std::ranges::find(rates, run.rig.options.baud) == rates.end())
        refuse("--baud {}: allowed: {}", run.rig.options.baud, fmt::join(rates, ", "));
}

void check_load(const RunPlan& run) {
    if (run.network().topology == Topology::uhc)
        refuse(
            "mesh load --topology uhc: its cables carry one way only, and a loader answers by the "
            "cable by which it is loaded: allowed: cube, star");
    if (run.nodes() > wire::kLoadNodesMax)
        refuse(kCombination, "mesh load --dim {}: {} nodes; loaders have room for a tree of {}",
               run.network().dim, run.nodes(), wire::kLoadNodesMax);
    for (const std::string_view option : {"--image", "--gdb"})
        if (run.gives(option))
            refuse(kCombination, "{} does not go with mesh load", option);
    if (run.rig.options.engine == "sim" || run.model.lockstep)
        refuse(kCombination, "mesh load has emulated nodes that run freely: not with {}",
               run.model.lockstep ? "--lockstep" : "--engine sim");
}

/// The flash of the nodes, if they are to keep what is loaded.
void plan_keep(RigPlan& rig) {
    const RigOptions& options = rig.options;
    if (!options.keep)
        return;
    if (*options.keep < 1 || *options.keep > std::int64_t{wire::kLoadVersionMax})
        refuse("--keep {}: allowed: 1 to {}, the version of the program", *options.keep,
               wire::kLoadVersionMax);
    if (rig.board.flash_bytes == 0)
        refuse(kCombination, "--keep: a node of {} has no flash that its loader can write",
               rig.board.name);
    if (!options.flash.empty() && !std::filesystem::is_directory(options.flash))
        refuse("--flash '{}': no such folder", options.flash);
    rig.board.machine = rig.board.flash_machine;
}

/// The kinds that leave nodes their way to a loader's image. A node that is reset is loaded again.
bool leaves_ways(const FaultKind& kind) { return !kind.breaks_ways() || &kind == &faults::restart; }

void check_faults(const RunPlan& run) {
    std::vector<std::string_view> allowed;
    for (const FaultKind* kind : fault_kinds())
        if (leaves_ways(*kind))
            allowed.push_back(kind->name());
    for (const Incident& incident : run.rig.faults.incidents) {
        if (!run.rig.loader.empty() && !leaves_ways(*incident.kind))
            refuse(kCombination,
                   "--faults '{}': the image comes to other nodes by that node or cable: allowed "
                   "with mesh load: {}",
                   run.results.faults, fmt::join(allowed, ", "));
        if (run.rig.loader.empty() && incident.kind->argument() == FaultArgument::node &&
            incident.node == NodeId{0})
            refuse(kCombination,
                   "--faults '{}': {} strikes node 0, which has the one host cable: allowed: other "
                   "nodes",
                   run.results.faults, incident.kind->name());
    }
}

} // namespace

bool plan_host_cable(const RunPlan& run) {
    const RigOptions& options = run.rig.options;
    if (options.host_at && *options.host_at != 0)
        refuse("--host-at {}: allowed: 0, the node with the host cable", *options.host_at);
    if (run.gives("--baud") && !run.rig.serial())
        refuse(kCombination, "--baud goes with --serial");
    if (!options.host_at && !run.rig.serial() && options.load.empty())
        return false;
    if (!options.load.empty())
        check_load(run);
    if (options.engine == "sim")
        refuse(kCombination,
               "--host-at goes with --engine qemu only: nodes of a simulation have no cable");
    if (run.model.lockstep)
        refuse(kCombination,
               "--lockstep needs a host cable at each node: not with --host-at, --serial");
    if (run.rig.serial())
        check_serial(run);
    return true;
}

void check_host_cable(RunPlan& run) {
    if (!run.rig.one_cable)
        return;
    plan_keep(run.rig);
    if (run.rig.serial() && !run.rig.board.serial())
        refuse(kCombination, "--board {}: has no serial lines, and --serial needs them",
               run.rig.board.name);
    check_faults(run);
}

} // namespace mesh::host
