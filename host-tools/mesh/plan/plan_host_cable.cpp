#include "plan_host_cable.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/engines/serial_line.hpp"
#include "wire/load.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>

namespace mesh::host {

namespace {

/// Options about emulators and cables, which are not to be had of a mesh that is there already.
constexpr std::array<std::string_view, 12> kOfTheRig{
    "--engine",        "--faults", "--capture", "--gdb",     "--miswire", "--qemu",
    "--capture-bytes", "--memory", "--image",   "--dry-run", "--boot",    "--flash"};

void check_device(const std::string& device) {
    struct stat status = {};
    if (stat(device.c_str(), &status) != 0)
        refuse("--serial '{}': no such device", device);
    if (!S_ISCHR(status.st_mode))
        refuse("--serial '{}': not a serial line", device);
}

void plan_serial(RunPlan& run, const RunArguments& arguments) {
    check_device(arguments.serial);
    for (const std::string_view option : kOfTheRig)
        if (arguments.gives(option))
            refuse("{} goes with an emulated mesh, not with --serial", option);
    const auto rates = baud_rates();
    if (std::ranges::find(rates, arguments.baud) == rates.end())
        refuse("--baud {}: allowed: {}", arguments.baud, fmt::join(rates, ", "));
    run.engine = "serial";
    run.rig.serial = arguments.serial;
    run.rig.baud = arguments.baud;
}

void check_load(const RunPlan& run, const RunArguments& arguments) {
    if (run.network().topology == Topology::uhc)
        refuse(
            "mesh load --topology uhc: its cables carry one way only, and a loader answers by the "
            "cable by which it is loaded: allowed: cube, star");
    if (run.nodes() > wire::kLoadNodesMax)
        refuse("mesh load --dim {}: {} nodes; loaders have room for a tree of {}",
               run.network().dim, run.nodes(), wire::kLoadNodesMax);
    for (const std::string_view option : {"--image", "--gdb"})
        if (arguments.gives(option))
            refuse("{} does not go with mesh load", option);
    if (run.engine == "sim" || arguments.lockstep)
        refuse("mesh load has emulated nodes that run freely: not with {}",
               arguments.lockstep ? "--lockstep" : "--engine sim");
}

/// The flash of the nodes, if they are to keep what is loaded.
void plan_keep(RigPlan& rig, const RunArguments& arguments) {
    if (!arguments.keep)
        return;
    if (*arguments.keep < 1 || *arguments.keep > std::int64_t{wire::kLoadVersionMax})
        refuse("--keep {}: allowed: 1 to {}, the version of the program", *arguments.keep,
               wire::kLoadVersionMax);
    if (rig.board.flash_bytes == 0)
        refuse("--keep: a node of {} has no flash that its loader can write", rig.board.name);
    rig.keep = static_cast<std::uint32_t>(*arguments.keep);
    rig.older = arguments.older;
    rig.flash = arguments.flash;
    if (!rig.flash.empty() && !std::filesystem::is_directory(rig.flash))
        refuse("--flash '{}': no such folder", rig.flash);
    rig.board.machine = rig.board.flash_machine;
}

/// The kinds that leave nodes their way to a loader's image. A node that is reset is loaded again.
bool leaves_ways(const FaultKind& kind) { return !kind.breaks_ways() || &kind == &faults::restart; }

void check_faults(const RunPlan& run, const RunArguments& arguments) {
    std::vector<std::string_view> allowed;
    for (const FaultKind* kind : fault_kinds())
        if (leaves_ways(*kind))
            allowed.push_back(kind->name());
    for (const Incident& incident : run.rig.faults.incidents) {
        if (!run.rig.loader.empty() && !leaves_ways(*incident.kind))
            refuse("--faults '{}': the image comes to other nodes by that node or cable: allowed "
                   "with mesh load: {}",
                   arguments.faults, fmt::join(allowed, ", "));
        if (run.rig.loader.empty() && incident.kind->argument() == FaultArgument::node &&
            incident.node == NodeId{0})
            refuse("--faults '{}': {} strikes node 0, which has the one host cable: allowed: other "
                   "nodes",
                   arguments.faults, incident.kind->name());
    }
}

} // namespace

void plan_host_cable(RunPlan& run, const RunArguments& arguments) {
    if (arguments.host_at && *arguments.host_at != 0)
        refuse("--host-at {}: allowed: 0, the node with the host cable", *arguments.host_at);
    if (arguments.gives("--baud") && arguments.serial.empty())
        refuse("--baud goes with --serial");
    run.rig.one_cable = arguments.host_at || !arguments.serial.empty() || !arguments.load.empty();
    if (!run.rig.one_cable)
        return;
    if (!arguments.load.empty())
        check_load(run, arguments);
    if (run.engine == "sim")
        refuse("--host-at goes with --engine qemu only: nodes of a simulation have no cable");
    if (arguments.lockstep)
        refuse("--lockstep needs a host cable at each node: not with --host-at, --serial");
    if (!arguments.serial.empty())
        plan_serial(run, arguments);
}

void check_host_cable(RunPlan& run, const RunArguments& arguments) {
    if (!run.rig.one_cable)
        return;
    plan_keep(run.rig, arguments);
    if (!run.rig.serial.empty() && !run.rig.board.serial())
        refuse("--board {}: has no serial lines, and --serial needs them", run.rig.board.name);
    check_faults(run, arguments);
}

} // namespace mesh::host
