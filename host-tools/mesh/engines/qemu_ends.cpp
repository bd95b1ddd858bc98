// The rig as the loom and OneCable use it.
#include "qemu_engine.hpp"
#include "wire/bytes.hpp"

#include <ctime>
#include <utility>

namespace mesh::host {

bool QemuEngine::Ends::deliver(NodeId to, std::span<const std::byte> frame) {
    const auto port = wire::load<Port>(frame, wire::offset::kCablePort);
    if (rig.one_cable_ && port == kHostPort) {
        rig.one_cable_->send(to, frame);
        return true;
    }
    if (rig.ranks_.is_far(to)) {
        rig.ranks_.order(to, What::frame, 0, frame);
        return true;
    }
    const bool first = port == kHostPort || !rig.plan_.board.serial();
    return rig.put(to, first ? 0 : index(port) + 1, frame);
}

void QemuEngine::Ends::to_cable(std::span<const std::byte> frame) {
    (void)rig.put(NodeId{0}, 0, frame);
}

void QemuEngine::Ends::from_node(NodeId node, std::span<std::byte> frame) {
    rig.loom_.frame_from(node, frame);
}

void QemuEngine::Ends::crash_record(NodeId node, std::span<const std::byte> frame) {
    rig.events_->host_frame(node, frame);
}

void QemuEngine::Ends::to_host(NodeId from, std::span<const std::byte> frame) {
    rig.events_->host_frame(from, frame);
}

void QemuEngine::Ends::kill(NodeId node) {
    if (rig.ranks_.is_far(node))
        rig.ranks_.order(node, What::kill);
    else
        rig.nodes_[index(node)].process.kill();
}

void QemuEngine::Ends::restart(NodeId node, unsigned starts) {
    kill(node);
    if (!std::exchange(rig.nodes_[index(node)].reset, true))
        rig.resets_.emplace_back(node, starts);
}

void QemuEngine::Ends::expel(NodeId node, std::string_view why) {
    rig.nodes_[index(node)].reason = why;
    kill(node);
}

std::uint64_t QemuEngine::Ends::now_us() const {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

} // namespace mesh::host
