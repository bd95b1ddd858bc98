#include "collectives/personalised.hpp"

#include "collectives/await.hpp"
#include "collectives/call.hpp"
#include "collectives/parcel.hpp"
#include "core/schedules/scatter_order.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace mesh {

namespace {
/// The trees of the cube as the image has them: core/ asks the table instead of a copy of its own.
struct LinkedTrees {};
} // namespace

template <>
inline unsigned height<LinkedTrees>(Network network, Rule rule) {
    return tree_rules(Topology::cube).height(network, rule);
}
template <>
inline Port parent<LinkedTrees>(Network network, Rule rule, unsigned subtree, NodeId root,
                                NodeId node) {
    return tree_rules(Topology::cube).parent(network, rule, subtree, root, node);
}
template <>
inline PortSequence children<LinkedTrees>(Network network, Rule rule, unsigned subtree, NodeId root,
                                          NodeId node) {
    return tree_rules(Topology::cube).children(network, rule, subtree, root, node);
}

namespace {

Hypercube cube_of(const Kernel& kernel) { return {kernel.network().dim}; }

bool possible(const Kernel& kernel, const PersonalPlan& plan) {
    return kernel.network().topology == Topology::cube && index(plan.root) < kernel.nodes() &&
           has_schedule(plan.tree, plan.schedule, plan.ports != PortModel::all) &&
           tree_rules(kernel.network().topology).height(kernel.network(), plan.tree) != 0 &&
           kernel.can_carry(plan.tree);
}

// Positions in a source are 32 bits wide.
bool possible_by_packets(const Kernel& kernel, const PersonalPlan& plan) {
    return possible(kernel, plan) && !in_cycles(plan.schedule) && plan.packet_bytes != 0 &&
           std::min(plan.packet_bytes, plan.block_bytes) <= wire::kUnitBytesMax &&
           std::uint64_t{kernel.nodes()} * plan.block_bytes <= ~std::uint32_t{0};
}

Gate scatter_gate(const Kernel& kernel, const PersonalPlan& plan) {
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    return {plan.root, kernel.calls().label(plan.tag), true, false, segmentation.fragments()};
}

// The packets that a node sends of a scatter, or of a gather (`inward`), fragment by fragment:
// packet k of all blocks in one pass over the destinations, then the next one.
class Outgoings {
public:
    Outgoings(const Kernel& kernel, const PersonalPlan& plan, bool inward)
        : cube_(cube_of(kernel)),
          plan_(plan),
          parcel_{kernel.calls().label(plan.tag), plan.root, 0, 0,
                  index(kernel.id()) * plan.block_bytes} {
        if (inward)
            parcel_.flags = wire::packet_flag::kInward;
    }

    // Chooses the next fragment; false: all have left.
    bool next() {
        position_ += fragment_.bytes;
        if (position_ >= end_) {
            while (!next_block())
                if (!begin_pass())
                    return false;
            position_ = passes_ * plan_.packet_bytes - plan_.packet_bytes;
            end_ = position_ + segmentation().bytes_of(passes_ - 1);
        }
        fragment_ = segmentation().at(position_);
        return true;
    }
    Kernel::Posting send(Kernel& kernel, ByteSource source) const {
        return send_fragment(kernel, plan_, parcel_, fragment_, source);
    }

private:
    bool inward() const { return parcel_.flags != 0; }
    Segmentation segmentation() const { return {plan_.block_bytes, plan_.packet_bytes}; }
    bool begin_pass() {
        if (passes_ == segmentation().packets())
            return false;
        ++passes_;
        own_ = inward();
        if (!own_)
            order_.emplace(cube_, plan_.tree, plan_.schedule);
        return true;
    }
    bool next_block() {
        if (!order_)
            return std::exchange(own_, false);
        const std::uint32_t to = order_->next();
        parcel_.to = node_at(to ^ index(plan_.root));
        parcel_.in_source = index(parcel_.to) * plan_.block_bytes;
        return to != 0;
    }

    Hypercube cube_;
    const PersonalPlan& plan_;
    Parcel parcel_;
    Segmentation::Fragment fragment_{};
    std::optional<ScatterOrder<LinkedTrees>> order_; // of this pass
    bool own_ = false;                               // the node's own block is still to be sent
    std::uint32_t passes_ = 0;
    std::uint32_t position_ = 0, end_ = 0; // in the packet of this pass
};

// Packets of a gather of different nodes share the links towards the root, so none may have parts.
Task<Status> send_now(Kernel& kernel, PersonalPlan plan, ByteSource source, bool inward) {
    plan = of_packets(plan);
    if (!possible_by_packets(kernel, plan) ||
        (inward && plan.packet_bytes > wire::payload_bytes_max()))
        co_return Status::bad_argument;
    const Gate gate = inward ? gather_gate(kernel, plan) : scatter_gate(kernel, plan);
    const Status opened = co_await pass(kernel, gate);
    if (opened != Status::ok)
        co_return opened;
    Outgoings outgoings{kernel, plan, inward};
    while (outgoings.next())
        co_await outgoings.send(kernel, source);
    co_return Status::ok;
}

Task<Status> take_block(Kernel& kernel, PersonalPlan plan, std::span<std::byte> block) {
    plan = of_packets(plan);
    const Gate gate = scatter_gate(kernel, plan);
    Status status = co_await pass(kernel, gate);
    std::uint32_t arrived = 0, total = 0;
    do { // no bytes are a packet too
        const Packet packet =
            co_await await_packet(kernel, plan.root, gate.label.match(), {.rule = plan.tree});
        if (!packet)
            co_return packet.status();
        const wire::PacketHeader& header = packet.header();
        if (header.position != arrived) // some were lost
            status = first_failure(status, Status::unreachable);
        arrived = header.position + header.payload_bytes;
        total = header.total_bytes;
        if (header.position < block.size()) {
            const auto rest = block.subspan(header.position);
            const auto payload = packet.payload();
            std::copy_n(payload.begin(), std::min(payload.size(), rest.size()), rest.begin());
        }
    } while (arrived < total);
    if (block.size() != total)
        status =
            first_failure(status, block.size() < total ? Status::truncated : Status::bad_argument);
    co_return status;
}

std::uint32_t scatter_share(const Kernel& kernel, const PersonalPlan& plan) {
    return plan.packet_bytes != 0 ? Gate::share(kernel, scatter_gate(kernel, plan).packets) : 1;
}

} // namespace

Task<Status> scatter_packets(Kernel& kernel, const PersonalPlan& plan, ByteSource source) {
    return as_call(detail::noted(kernel, {"scatter", " from node ", index(plan.root)}), plan.tag,
                   send_now(kernel, plan, source, false), scatter_share(kernel, plan));
}

Task<Status> take_scattered(Kernel& kernel, const PersonalPlan& plan, std::span<std::byte> block) {
    return as_call(detail::noted(kernel, {"scatter", " from node ", index(plan.root)}), plan.tag,
                   take_block(kernel, plan, block), scatter_share(kernel, plan));
}

Task<Status> gather_packets(Kernel& kernel, const PersonalPlan& plan, ByteSource source) {
    return as_call(detail::noted(kernel, {"gather", " to node ", index(plan.root)}), plan.tag,
                   send_now(kernel, plan, source, true), gather_share(kernel, plan));
}

// In cycles -----------------------------------------------------------------------------------

namespace {

using PortBytes = std::array<std::uint32_t, kPortsMax>;

std::uint32_t sum(const PortBytes& bytes) {
    std::uint32_t total = 0;
    for (const std::uint32_t part : bytes)
        total += part;
    return total;
}

// Where the bundle of each port begins when they lie one behind the other.
PortBytes begins(const PortBytes& bytes) {
    PortBytes begin{};
    for (std::size_t port = 1; port < bytes.size(); ++port)
        begin[port] = begin[port - 1] + bytes[port - 1];
    return begin;
}

// visitor(context, cycle, crossing) for each part of a block that crosses a link in a cycle. One
// instance of the schedule, whatever is done with it.
using Visitor = void (*)(void* context, unsigned cycle, const Crossing& crossing);
void visit_crossings(const CyclePlan& plan, Visitor visit, void* context) {
    for_each_crossing<LinkedTrees>(plan,
                                   [visit, context](unsigned cycle, const Crossing& crossing) {
                                       visit(context, cycle, crossing);
                                   });
}

unsigned count_cycles(const CyclePlan& plan) {
    unsigned count = 0;
    const auto longer = [](void* cycles, unsigned cycle, const Crossing&) {
        auto& known = *static_cast<unsigned*>(cycles);
        known = std::max(known, cycle + 1);
    };
    visit_crossings(plan, longer, &count);
    return count;
}

// exchange() at one node: the bundles that it sends and gets in each cycle, and where these lie.
class CycleWork {
public:
    CycleWork(const Kernel& kernel, const PersonalPlan& plan, Exchange what,
              std::span<std::byte> memory)
        : plan_{cube_of(kernel), plan.tree, plan.schedule, plan.ports != PortModel::all,
                what == Exchange::allgather},
          what_(what),
          self_(translated() ? 0 : index(kernel.id()) ^ index(plan.root)),
          block_bytes_(plan.block_bytes),
          cycles_(count_cycles(plan_)) {
        const std::size_t all = std::size_t{kernel.nodes()} * plan.block_bytes;
        blocks_ = memory.first(all);
        out_ = memory.subspan(all, all);
        in_ = memory.subspan(2 * all, all);
        const std::size_t bundles =
            (translated() ? 1u : kernel.nodes()) * std::size_t{plan_.cube.dim};
        sizes_ = memory.subspan(3 * all, bundles * sizeof(std::uint32_t));
    }

    unsigned cycles() const { return cycles_; }

    // Measures the bundles of a cycle, and packs those that this node sends.
    void prepare(unsigned cycle) {
        measure(cycle);
        PortBytes at = begins(out_bytes_);
        if (sum(out_bytes_) != 0)
            for_each(cycle, [&](const Crossing& crossing) {
                if (sender(crossing) != self_)
                    return;
                const auto from =
                    part_of(plan_.broadcast ? crossing.tail : crossing.block, crossing);
                std::copy(from.begin(), from.end(), out_.begin() + at[crossing.port]);
                at[crossing.port] += static_cast<std::uint32_t>(from.size());
            });
    }
    // Puts the parts of the bundles that have come where they belong.
    void unpack(unsigned cycle) {
        PortBytes at = begins(in_bytes_);
        if (sum(in_bytes_) != 0)
            for_each(cycle, [&](const Crossing& crossing) {
                if (receiver(crossing) != self_)
                    return;
                const auto to = part_of(crossing.block, crossing);
                const auto from = in_.subspan(at[crossing.port], to.size());
                std::copy(from.begin(), from.end(), to.begin());
                at[crossing.port] += static_cast<std::uint32_t>(to.size());
            });
    }

    std::span<const std::byte> outgoing(unsigned port) const {
        return out_.subspan(begins(out_bytes_)[port], out_bytes_[port]);
    }
    std::span<std::byte> incoming(unsigned port) const {
        return in_.subspan(begins(in_bytes_)[port], in_bytes_[port]);
    }
    bool idle() const { return sum(out_bytes_) + sum(in_bytes_) == 0; }
    // Bytes of the largest bundle of the whole mesh in this cycle.
    std::uint32_t largest() const { return largest_; }

private:
    // Every node is a root: what one node does in its own tree, all do in theirs.
    bool translated() const { return what_ == Exchange::allgather || what_ == Exchange::alltoall; }
    bool backward() const { return what_ == Exchange::gather; }

    template <class F>
    void for_each(unsigned cycle, F f) const {
        struct Of {
            F& f;
            unsigned cycle;
        } of{f, backward() ? cycles_ - 1 - cycle : cycle};
        const auto visit = [](void* context, unsigned when, const Crossing& crossing) {
            if (when == static_cast<Of*>(context)->cycle)
                static_cast<Of*>(context)->f(crossing);
        };
        visit_crossings(plan_, visit, &of);
    }
    std::uint32_t sender(const Crossing& crossing) const {
        return translated() ? self_ : backward() ? crossing.head() : crossing.tail;
    }
    std::uint32_t receiver(const Crossing& crossing) const {
        return translated() ? self_ : backward() ? crossing.tail : crossing.head();
    }
    std::span<std::byte> part_of(std::uint32_t block, const Crossing& crossing) const {
        return blocks_.subspan(std::size_t{block} * block_bytes_ + crossing.begin(block_bytes_),
                               crossing.size(block_bytes_));
    }

    // The bundle over `port` away from the root at node `tail`; one for all nodes if they are
    // alike.
    std::size_t bundle(std::uint32_t tail, unsigned port) const {
        const std::size_t place = translated() ? port : std::size_t{tail} * plan_.cube.dim + port;
        return place * sizeof(std::uint32_t);
    }
    void measure(unsigned cycle) {
        std::fill(sizes_.begin(), sizes_.end(), std::byte{0});
        largest_ = 0;
        for_each(cycle, [&](const Crossing& crossing) {
            const std::size_t place = bundle(crossing.tail, crossing.port);
            const std::uint32_t bytes =
                wire::load<std::uint32_t>(sizes_, place) + crossing.size(block_bytes_);
            wire::store(sizes_, place, bytes);
            largest_ = std::max(largest_, bytes);
        });
        for (unsigned port = 0; port < plan_.cube.dim; ++port) {
            const auto away = wire::load<std::uint32_t>(sizes_, bundle(self_, port));
            const auto home = wire::load<std::uint32_t>(sizes_, bundle(self_ ^ (1u << port), port));
            out_bytes_[port] = backward() ? home : away;
            in_bytes_[port] = backward() ? away : home;
        }
    }

    CyclePlan plan_;
    Exchange what_;
    std::uint32_t self_; // relative to the root
    std::uint32_t block_bytes_;
    unsigned cycles_;
    std::uint32_t largest_ = 0;
    std::span<std::byte> blocks_;
    std::span<std::byte> out_;
    std::span<std::byte> in_;
    std::span<std::byte> sizes_;
    PortBytes out_bytes_{};
    PortBytes in_bytes_{};
};

// A node that misses something goes through the cycles all the same, so that no node waits for it
// in vain. But its bundles are poisoned then, and nodes that get them miss something too.
Process send_bundles(Kernel& kernel, PersonalPlan plan, const CycleWork& work, bool nothing) {
    const CallLabel label = kernel.calls().label(plan.tag);
    Status status = Status::ok;
    for (unsigned port = 0; port < kernel.ports(); ++port) {
        const std::span<const std::byte> bundle = work.outgoing(port);
        if (bundle.empty())
            continue;
        const NodeId to = kernel.neighbor(port_at(port));
        const auto whole = static_cast<std::uint32_t>(bundle.size());
        const SendOptions options{.tag = label.tag,
                                  .unit_bytes = plan.packet_bytes == 0 ? whole : plan.packet_bytes,
                                  .synchronous = false, // the steps count what moves
                                  .is_poisoned = nothing,
                                  .call = label.call};
        const Status sent = co_await send(kernel, to, options, bundle.first(nothing ? 0 : whole));
        status = first_failure(status, sent);
    }
    co_return status;
}

// The verdict on a bundle that was received.
Status judged(const Received& received, std::size_t bundle_bytes) {
    if (received.status != Status::ok || received.bytes == bundle_bytes)
        return received.status;
    return Status::bad_argument;
}

// Model time of a bundle on a link.
wire::ModelTime bundle_time(const Kernel& kernel, const PersonalPlan& plan, std::uint32_t bytes) {
    if (bytes == 0)
        return 0;
    if (plan.packet_bytes == 0)
        return kernel.link_time(bytes);
    const std::uint32_t rest = bytes % plan.packet_bytes;
    return bytes / plan.packet_bytes * kernel.link_time(plan.packet_bytes) +
           (rest != 0 ? kernel.link_time(rest) : 0);
}

// All nodes receive over their ports in the same order as they send, so no nodes wait in a circle.
// The sender works with objects of this process, which waits for it whatever has failed. Without
// room for a sender this node says first that its bundles are poisoned: all others take them while
// they send.
Task<Status> exchange_in_cycles(Kernel& kernel, PersonalPlan plan, Exchange what,
                                std::span<std::byte> memory) {
    plan = with_names(plan, usual_tree(Topology::cube),
                      plan.ports == PortModel::all ? Schedule::level : Schedule::subtree);
    if (!possible(kernel, plan) || !in_cycles(plan.schedule))
        co_return Status::bad_argument;
    if (memory.size() < exchange_bytes(kernel.nodes(), plan.block_bytes))
        co_return Status::no_memory;
    CycleWork work{kernel, plan, what, memory};
    const CallLabel label = kernel.calls().label(plan.tag);
    const SendOptions poisoned{.tag = label.tag, .is_poisoned = true, .call = label.call};
    // Under half a pair that exchanges takes the link once each way.
    const bool twice = plan.ports == PortModel::half &&
                       (what == Exchange::allgather || what == Exchange::alltoall);
    Status status = Status::ok;
    wire::ModelTime begin = kernel.now();
    for (unsigned cycle = 0; cycle < work.cycles(); ++cycle) {
        work.prepare(cycle);
        if (!work.idle()) {
            kernel.advance_clock(begin);
            ProcessId sender;
            const bool spawned =
                kernel.spawn(send_bundles(kernel, plan, work, status != Status::ok), sender);
            if (!spawned)
                status = first_failure(status, Status::no_memory);
            for (unsigned port = 0; !spawned && port < kernel.ports(); ++port) {
                if (work.outgoing(port).empty())
                    continue;
                const Status sent = co_await send(kernel, kernel.neighbor(port_at(port)), poisoned,
                                                  std::span<const std::byte>{});
                status = first_failure(status, sent);
            }
            for (unsigned port = 0; port < kernel.ports(); ++port) {
                const std::span<std::byte> bundle = work.incoming(port);
                if (bundle.empty())
                    continue;
                const Received received =
                    co_await receive(kernel, bundle, kernel.neighbor(port_at(port)), label);
                status = first_failure(status, judged(received, bundle.size()));
            }
            // of none: ok
            const Status sent = co_await end_of(kernel, sender);
            status = first_failure(status, sent);
            if (status == Status::ok)
                work.unpack(cycle);
        }
        begin += bundle_time(kernel, plan, work.largest()) * (twice ? 2u : 1u);
    }
    co_return status;
}

constexpr detail::CallNote note_of(Exchange what, NodeId root) {
    switch (what) {
    case Exchange::scatter: return {"scatter", " from node ", index(root)};
    case Exchange::gather: return {"gather", " to node ", index(root)};
    case Exchange::allgather: return {"allgather"};
    case Exchange::alltoall: break;
    }
    return {"alltoall"};
}

} // namespace

Task<Status> exchange(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                      std::span<std::byte> memory, Arrivals* arrivals) {
    const detail::CallNote note = note_of(what, plan.root);
    if (kernel.network().topology == Topology::cube)
        return as_call(detail::noted(kernel, note), plan.tag,
                       exchange_in_cycles(kernel, plan, what, memory));
    return as_call(detail::noted(kernel, note), plan.tag,
                   exchange_packets(kernel, plan, what, memory, arrivals),
                   exchange_share(kernel, plan, what));
}

} // namespace mesh
