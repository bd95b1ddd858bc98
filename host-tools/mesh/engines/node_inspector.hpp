// Looks into nodes of a rig by the monitors of their emulators.
#pragma once

#include "host-tools/mesh/common/bytes.hpp"
#include "node_line.hpp"
#include "node_waits.hpp"
#include "qemu_monitor.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

class NodeInspector {
public:
    /// Both must outlive it.
    NodeInspector(const RigPlan& plan, const Signals& signals);

    // As Engine has them, of a node of this process. Interrupted.
    std::vector<WaitsFor> waits(NodeId node, const NodeLine& line);
    std::optional<wire::CrashRecord> running(NodeId node, const NodeLine& line);
    /// All that `line.errors` had has been read.
    std::optional<std::uint32_t> stack_used(NodeId node, const NodeLine& line);

private:
    const ImageSymbols& symbols_of(NodeId node);
    EmulatedMemory memory_of(NodeId node, const NodeLine& line);
    std::optional<Bytes> saved_memory(NodeId node, const NodeLine& line, std::uint64_t address,
                                      std::size_t bytes);

    const RigPlan& plan_;
    const Signals& signals_;
    std::map<std::string, ImageSymbols> images_; // that were asked for, by file
    MonitorBudget budget_;
};

} // namespace mesh::host
