#include "plan_host_cable.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/engines/serial_line.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <sys/stat.h>

namespace mesh::host {

namespace {

/// Options about emulators and cables, which are not to be had of a mesh that is there already.
constexpr std::array<std::string_view, 11> kOfTheRig{
    "--engine",        "--faults", "--capture", "--gdb",     "--miswire", "--qemu",
    "--capture-bytes", "--memory", "--image",   "--dry-run", "--boot"};

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
    if (run.network().topology != Topology::cube)
        refuse("mesh load --topology {}: loaders know the tree of the cube only",
               arguments.topology);
    for (const std::string_view option : {"--image", "--serial", "--gdb"})
        if (arguments.gives(option))
            refuse("{} does not go with mesh load", option);
    if (run.engine == "sim" || arguments.lockstep)
        refuse("mesh load has emulated nodes that run freely: not with {}",
               arguments.lockstep ? "--lockstep" : "--engine sim");
}

/// The kinds that leave nodes their way to the host. A node that is reset is loaded again, if there
/// are loaders.
bool leaves_ways(const FaultKind& kind, bool loads) {
    return !kind.breaks_ways() || (loads && &kind == &faults::restart);
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

void check_host_cable(const RunPlan& run, const RunArguments& arguments) {
    if (!run.rig.one_cable)
        return;
    if (!run.rig.serial.empty() && !run.rig.board.serial())
        refuse("--board {}: has no serial lines, and --serial needs them", run.rig.board.name);
    const bool loads = !run.rig.loader.empty();
    const auto breaks = [loads](const Incident& incident) {
        return !leaves_ways(*incident.kind, loads);
    };
    if (std::ranges::none_of(run.rig.faults.incidents, breaks))
        return;
    std::vector<std::string_view> allowed;
    for (const FaultKind* kind : fault_kinds())
        if (leaves_ways(*kind, loads))
            allowed.push_back(kind->name());
    refuse(
        "--faults '{}': with one host cable the way of other nodes to the host goes by that node "
        "or cable: allowed: {}",
        arguments.faults, fmt::join(allowed, ", "));
}

} // namespace mesh::host
