#include "collectives/broadcast.hpp"

#include "collectives/call.hpp"
#include "core/schedules/timetable.hpp"

#include <algorithm>

namespace mesh {

namespace {
BroadcastPlan with_tree(const Kernel& kernel, BroadcastPlan plan) {
    plan.tree = named_tree(kernel.network(), plan.tree);
    return plan;
}

bool possible(const Kernel& kernel, const BroadcastPlan& plan) {
    return index(plan.root) < kernel.nodes() && plan.packet_bytes != 0 &&
           plan.bytes_of(0) <= wire::kUnitBytesMax && plan.tree != Rule::sbg &&
           plan.tree != Rule::unicast &&
           tree_rules(kernel.network().topology).height(kernel.network(), plan.tree) != 0;
}
} // namespace

unsigned subtree_of(const Kernel& kernel, Rule tree, std::uint32_t packet, std::uint32_t packets) {
    const Network network = kernel.network();
    const TreeRules& trees = tree_rules(network.topology);
    return trees.first_subtree(network, tree) +
           broadcast_subtree(tree, trees.subtree_count(network, tree), kernel.job().ports, packet,
                             packets);
}

Path path_of(const Kernel& kernel, const BroadcastPlan& plan, std::uint32_t packet) {
    return {.rule = plan.tree,
            .subtree =
                static_cast<std::uint8_t>(subtree_of(kernel, plan.tree, packet, plan.packets())),
            .to_all = true};
}

wire::PacketHeader header_of(const Kernel& kernel, const BroadcastPlan& plan, CallLabel label,
                             const Segmentation::Fragment& fragment) {
    wire::PacketHeader header{.rule = plan.tree,
                              .subtree = path_of(kernel, plan, fragment.packet).subtree,
                              .payload_bytes = fragment.bytes,
                              .source = kernel.id(),
                              .tag = label.tag,
                              .call = label.call};
    plan.segmentation().describe(fragment, header);
    return header;
}

Broadcast::Broadcast(Kernel& kernel, const BroadcastPlan& plan)
    : Broadcast(kernel, plan, kernel.calls().label(plan.tag)) {}

Broadcast::Broadcast(Kernel& kernel, const BroadcastPlan& plan, CallLabel label)
    : plan_(with_tree(kernel, plan)),
      roots_(plan_),
      label_(label),
      status_(kernel.can_carry(plan_.tree) ? Status::ok : Status::no_memory),
      is_root_(kernel.id() == plan.root),
      finished_(status_ != Status::ok) {
    CallRecord* const record = kernel.calls().find(label_.tag);
    const bool begun = label_.call % 2 != 0; // by all nodes, which have taken all before
    const std::uint32_t before = record != nullptr && !begun ? record->packets : 0;
    if (TreeFlow::needed(kernel, plan.segmentation().fragments() + before, begun)) {
        flow_ = TreeFlow{kernel, plan.root, label_, begun};
        if (record != nullptr && !begun)
            record->meet();
    }
    const Network network = kernel.network();
    trees_ = std::max(1u, tree_rules(network.topology).subtree_count(network, plan_.tree));
    if (plan_.tree == Rule::msbt_rot)
        trees_ /= 2; // those of the last round are others
    begin_trees();
    count(kernel);
}

Status Broadcast::status() const {
    if (status_ != Status::ok || is_root_)
        return status_;
    if (roots_.total_bytes > plan_.total_bytes)
        return Status::truncated;
    return roots_.total_bytes < plan_.total_bytes ? Status::bad_argument : Status::ok;
}

// The root has cut the message as its first packet says. This node takes all of it, also bytes that
// no process here asked for: they would stay in the pool.
void Broadcast::adopt(Kernel& kernel, const Packet& first) {
    const std::uint32_t expected = roots_.bytes_of(0);
    if (first) {
        roots_.total_bytes = first.header().total_bytes;
        roots_.packet_bytes = std::max<std::uint32_t>(first.header().unit_bytes, 1u);
    }
    count(kernel);
    if (roots_.bytes_of(0) != expected)
        begin_trees(); // none of its packets has been taken
}

void Broadcast::begin_trees() {
    for (unsigned tree = 0; tree < trees_; ++tree)
        next_[tree] = tree * roots_.packet_bytes;
}

// All nodes learn from the root how many packets there are, and count alike; until then as they
// expect. What is a part of another collective is counted with that.
void Broadcast::count(Kernel& kernel) {
    CallRecord* const record = kernel.calls().find(label_.tag);
    if (record != nullptr && label_.call % 2 == 0)
        record->set_share(roots_.segmentation().fragments());
}

// Drops a packet that does not belong there.
void Broadcast::accept(Awaited& awaited, const Segmentation::Fragment& fragment) {
    const bool wrong =
        awaited.status == Status::ok && (awaited.packet.header().position != fragment.position ||
                                         awaited.packet.payload().size() != fragment.bytes);
    if (wrong)
        awaited.status = Status::bad_argument;
    if (awaited.status != Status::ok)
        awaited.packet = Packet{};
    fail(awaited.status);
    const Segmentation cut = roots_.segmentation();
    const bool more = fragment.position + fragment.bytes <
                      fragment.packet * cut.packet_bytes + cut.bytes_of(fragment.packet);
    next_[fragment.packet % trees_] =
        more ? fragment.position + fragment.bytes : (fragment.packet + trees_) * cut.packet_bytes;
    if (!awaited.packet || fragment.position >= room_.size())
        return;
    const auto payload = awaited.packet.payload();
    std::copy_n(payload.begin(),
                std::min<std::size_t>(room_.size() - fragment.position, payload.size()),
                room_.subspan(fragment.position).begin());
}

// Takes the packets that have come by other trees than the one of the packet whose turn it is.
// Broadcasts of several tags at a time would fill the pool with them: each waits for the packet
// whose turn it is, for which the others leave no room.
// Example: three trees, packets 0 to 3 are taken, 5 and 8 are here, so 4 is to come. next_ is
// {6, 4, 5}, in packets. 5 is taken, and then 8; next_ is {6, 4, 11}.
void Broadcast::take_others(void* self, Kernel& kernel) {
    auto& broadcast = *static_cast<Broadcast*>(self);
    const Segmentation cut = broadcast.roots_.segmentation();
    for (unsigned tree = 0; tree < broadcast.trees_; ++tree)
        while (broadcast.next_[tree] < cut.total_bytes) {
            const Segmentation::Fragment next = cut.at(broadcast.next_[tree]);
            const Match match = broadcast.label_.match(next.packet, broadcast.roots_.root);
            const PacketBuffer* const there = kernel.mailbox().find(match);
            if (next.position == broadcast.position_ || there == nullptr ||
                !broadcast.belongs(there->header, next))
                break;
            Awaited awaited = judged(kernel.take(match));
            broadcast.accept(awaited, next);
        }
}

// True if the packet is that fragment, of a message that is cut as this node expects; before the
// first packet has come it is not known whether it is.
bool Broadcast::belongs(const wire::PacketHeader& header,
                        const Segmentation::Fragment& fragment) const {
    const bool cut = !fragment.first || header.unit_bytes == roots_.bytes_of(fragment.packet);
    return header.total_bytes == roots_.total_bytes && header.position == fragment.position &&
           ((header.payload_bytes == fragment.bytes && cut) ||
            (header.flags & wire::packet_flag::kPoisoned) != 0);
}

Taker Broadcast::taker() {
    if (room_.empty() || trees_ == 1)
        return {};
    return {take_others, this};
}

void Broadcast::go_on(const Segmentation::Fragment& fragment) {
    finished_ = fragment.ends(roots_.segmentation());
    position_ += fragment.bytes;
    flow_.take();
}

Task<OutgoingPacket> packet_to_fill(Kernel& kernel, Broadcast& broadcast) {
    if (!broadcast.flow_.open())
        broadcast.fail(co_await FlowWait{kernel, broadcast.flow_, 0, FlowWait::Until::room});
    const Segmentation::Fragment fragment = broadcast.plan_.segmentation().at(broadcast.position_);
    OutgoingPacket packet = co_await kernel.allocate(broadcast.plan_.tree);
    packet.header() = header_of(kernel, broadcast.plan_, broadcast.label_, fragment);
    if (broadcast.status_ != Status::ok) {
        packet.header().flags |= wire::packet_flag::kPoisoned;
        packet.resize(0);
    }
    broadcast.go_on(fragment);
    co_return packet;
}

// Most packets come with others, and are there when it is their turn: they are not waited for.
Task<Awaited> packet_that_came(Kernel& kernel, Broadcast& broadcast) {
    const BroadcastPlan& plan = broadcast.roots_;
    Awaited awaited{Status::ok};
    if (!broadcast.has_next()) {
        const std::uint32_t number = broadcast.position_ / plan.packet_bytes;
        const Match match = broadcast.label_.match(number, plan.root);
        if (broadcast.flow_.owes() || !kernel.has(match)) {
            const Path path = path_of(kernel, plan, number);
            const std::uint32_t subtree = 1u << path.subtree;
            awaited.status = Status::unreachable;
            if ((broadcast.lost_ & subtree) == 0)
                awaited.status = co_await FlowWait{kernel,
                                                   broadcast.flow_,
                                                   plan.segmentation().fragments(),
                                                   FlowWait::Until::packet,
                                                   match,
                                                   path,
                                                   broadcast.taker(),
                                                   broadcast.position_ == 0};
            if (awaited.status != Status::ok)
                broadcast.lost_ |= subtree;
        }
        if (awaited.status == Status::ok)
            awaited = judged(kernel.take(match));
        if (broadcast.position_ == 0)
            broadcast.adopt(kernel, awaited.packet);
        broadcast.accept(awaited, plan.segmentation().at(broadcast.position_));
    }
    broadcast.go_on(plan.segmentation().at(broadcast.position_));
    if (broadcast.finished_) {
        if (broadcast.status_ == Status::ok)
            broadcast.flow_.end();
        broadcast.fail(co_await FlowWait{kernel, broadcast.flow_, plan.segmentation().fragments(),
                                         FlowWait::Until::settled});
    }
    co_return awaited;
}

// Bytes beyond `buffer` are taken as well: they would stay in the pool.
Task<Status> broadcast_within(Kernel& kernel, CallLabel label, BroadcastPlan plan,
                              std::span<std::byte> buffer, Status so_far) {
    plan = with_tree(kernel, plan);
    if (label.call == 0)
        label = kernel.calls().label(plan.tag);
    if (!possible(kernel, plan) || buffer.size() < plan.total_bytes)
        co_return Status::bad_argument;
    const auto message = buffer.first(plan.total_bytes);
    Broadcast under_way{kernel, plan, label};
    under_way.fail(so_far);
    under_way.take_into(message);
    while (!under_way.finished()) {
        if (kernel.id() == plan.root) {
            OutgoingPacket packet = co_await packet_to_fill(kernel, under_way);
            if (!packet)
                co_return Status::no_memory;
            std::copy_n(message.subspan(packet.header().position).begin(), packet.payload().size(),
                        packet.payload().begin());
            kernel.inject(std::move(packet));
        } else {
            const Awaited next = co_await packet_that_came(kernel, under_way);
            if (next.status == Status::no_memory)
                co_return Status::no_memory;
        }
    }
    co_return under_way.status();
}

Task<Status> broadcast(Kernel& kernel, const BroadcastPlan& plan, std::span<std::byte> buffer,
                       Status so_far) {
    return as_call(detail::noted(kernel, {"broadcast", " from node ", index(plan.root)}), plan.tag,
                   broadcast_within(kernel, {}, plan, buffer, so_far), plan.share());
}

} // namespace mesh
