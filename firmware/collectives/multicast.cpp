#include "collectives/multicast.hpp"

#include "collectives/await.hpp"
#include "collectives/call.hpp"
#include "collectives/segmentation.hpp"
#include "collectives/tree_flow.hpp"
#include "kernel/packets/to_set.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

namespace {

/// The packets of one call: `bytes` of it from the beginning of a packet on.
struct Part {
    const MulticastPlan& plan;
    std::span<std::byte> bytes;
    Segmentation whole; // of all bytes, by packets
    std::uint32_t first;
    std::uint32_t end; // behind the last packet
    Rule tree;
    std::uint8_t subtree;

    std::uint32_t packets() const { return end - first; }
    std::uint32_t position(std::uint32_t packet) const { return packet * whole.packet_bytes; }
    std::span<std::byte> place(std::uint32_t packet) const {
        return bytes.subspan(position(packet), whole.bytes_of(packet));
    }
};

bool is_member(const MulticastPlan& plan, NodeId node) {
    return std::ranges::find(plan.members, node) != plan.members.end();
}

/// True if some other node than the root is a member.
bool has_goal(const MulticastPlan& plan) {
    return std::ranges::any_of(plan.members, [&](NodeId node) { return node != plan.root; });
}

bool possible(const Kernel& kernel, const MulticastPlan& plan, const Part& part) {
    const auto unknown = [&](NodeId node) { return index(node) >= kernel.nodes(); };
    if (unknown(plan.root) || std::ranges::any_of(plan.members, unknown) ||
        !may_lead_to_set(part.tree))
        return false;
    // A tree leads to each single node, or to none.
    const NodeId other = node_at(index(plan.root) == 0 ? 1 : 0);
    const Envelope envelope{part.tree, part.subtree, plan.root, other};
    return !kernel.rules().way(kernel.network(), plan.root, kNoPort, envelope).nowhere();
}

wire::PacketHeader header_of(const Kernel& kernel, const Part& part, std::uint32_t packet) {
    const CallLabel label = kernel.calls().label(part.plan.tag);
    return {.rule = part.tree,
            .subtree = part.subtree,
            .source = kernel.id(),
            .destination = kToSet,
            .tag = label.tag,
            .message = packet,
            .position = part.position(packet),
            .total_bytes = part.whole.total_bytes,
            .call = label.call};
}

Task<Status> send_part(Kernel& kernel, Part part) {
    const std::uint32_t set_bytes = NodeSet::bytes_for(kernel.nodes());
    for (std::uint32_t number = part.first; number < part.end; ++number) {
        OutgoingPacket packet = co_await kernel.allocate(part.tree);
        packet.header() = header_of(kernel, part, number);
        const auto from = part.place(number);
        const auto payload = packet.resize(set_bytes + from.size());
        put_set(payload, kernel.nodes(), part.plan.members);
        std::ranges::copy(from, payload.begin() + set_bytes);
        kernel.inject(std::move(packet));
    }
    co_return Status::ok;
}

// A root with other bytes has cut them into other packets: this node waits for no more of them.
Task<Status> receive_part(Kernel& kernel, Part part) {
    const std::uint32_t set_bytes = NodeSet::bytes_for(kernel.nodes());
    const CallLabel label = kernel.calls().label(part.plan.tag);
    const Path path{.rule = part.tree, .subtree = part.subtree, .to_all = true};
    Status status = Status::ok;
    for (std::uint32_t number = part.first; number < part.end; ++number) {
        const NodeId root = part.plan.root;
        const Packet packet = co_await await_packet(kernel, root, label.match(number, root), path);
        status = first_failure(status, packet.status());
        if (!packet || packet.payload().size() < set_bytes)
            continue;
        const auto data = packet.payload().subspan(set_bytes);
        const auto place = part.place(number);
        std::copy_n(data.begin(), std::min(data.size(), place.size()), place.begin());
        if (packet.header().total_bytes < part.whole.total_bytes)
            co_return Status::bad_argument;
        if (packet.header().total_bytes > part.whole.total_bytes)
            status = first_failure(status, Status::truncated);
    }
    co_return status;
}

/// As a part of a call.
Task<Status> multicast_part(Kernel& kernel, Part part) {
    Status status = Status::ok;
    if (kernel.id() == part.plan.root) {
        if (has_goal(part.plan))
            status = co_await send_part(kernel, part);
    } else if (is_member(part.plan, kernel.id())) {
        status = co_await receive_part(kernel, part);
    }
    co_return status;
}

/// The calls that are still to come. If the multicast is given up, they count as made.
class Rest {
public:
    Rest(Kernel& kernel, Part& part) : kernel_(kernel), part_(part) {}
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
    ~Rest() {
        while (!ends_ && next())
            Call{kernel_, part_.plan.tag, false, nullptr, part_.packets()}.skip();
    }

    /// The packets of the next call; false: all have been.
    bool next() {
        part_.first = part_.end;
        part_.end = std::min(part_.whole.packets(), part_.first + TreeFlow::half_window(kernel_));
        return part_.packets() != 0;
    }
    /// No more calls are made under this tag.
    void end() { ends_ = true; }

private:
    Kernel& kernel_;
    Part& part_;
    bool ends_ = false;
};

} // namespace

Task<Status> multicast(Kernel& kernel, MulticastPlan plan, std::span<std::byte> bytes) {
    const TreeRules& trees = tree_rules(kernel.network().topology);
    const Rule tree = named_tree(kernel.network(), plan.tree);
    const std::uint32_t set_bytes = NodeSet::bytes_for(kernel.nodes());
    if (set_bytes >= wire::payload_bytes_max())
        co_return Status::bad_argument;
    const std::uint32_t room = wire::payload_bytes_max() - set_bytes;
    Part part{plan,
              bytes,
              {static_cast<std::uint32_t>(bytes.size()), room},
              0,
              0,
              tree,
              static_cast<std::uint8_t>(trees.first_subtree(kernel.network(), tree))};
    if (!possible(kernel, plan, part))
        co_return Status::bad_argument;
    if (!kernel.can_carry(tree))
        co_return Status::no_memory;
    Status status = Status::ok;
    Rest rest{kernel, part};
    while (rest.next()) {
        const Status done =
            co_await as_call(kernel, plan.tag, multicast_part(kernel, part), part.packets());
        status = first_failure(status, done);
        if (done == Status::tag_in_use || done == Status::no_memory)
            break;
    }
    rest.end();
    co_return status;
}

} // namespace mesh
