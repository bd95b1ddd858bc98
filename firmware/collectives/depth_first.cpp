// The paper's multinode broadcast: in each of its trees a block visits the nodes depth first. A
// node passes it on to its first child and waits for that child's acknowledgement, then to the
// next, and acknowledges to its parent when all children have. No two packets ever want the same
// link; but one dead child holds up all that would have come later, and the exchange fails.
// Here for comparison; Schedule::queue is faster and survives. (fragopoulou-akl-1993, 4.4)
#include "collectives/await.hpp"
#include "collectives/collector.hpp"
#include "wire/bytes.hpp"

#include <algorithm>

namespace mesh {

namespace {

// Where the visit of one tree is, at one node.
struct Visit {
    std::uint32_t packets : 24 = 0; // of the block that came over it
    std::uint32_t served : 8 = 0;   // children that have been sent to
};
static_assert(sizeof(Visit) == 4);

// One packet between neighbours; all of a tree's are named by its root and number.
struct Stride {
    NodeId root;
    unsigned subtree;
    NodeId to;
};

class Visits {
public:
    Visits(const Kernel& kernel, const PersonalPlan& plan, const ExchangeMemory& memory)
        : network_(kernel.network()),
          self_(kernel.id()),
          rule_(plan.tree),
          rules_(tree_rules(network_.topology)),
          first_(rules_.first_subtree(network_, rule_)),
          trees_(rules_.subtree_count(network_, rule_)),
          table_(memory.tables.first(std::size_t{kernel.nodes()} * trees_ * sizeof(Visit))) {}

    unsigned first() const { return first_; }
    unsigned trees() const { return trees_; }
    bool knows(NodeId root, unsigned subtree) const {
        return subtree - first_ < trees_ && index(root) < table_.size() / (trees_ * sizeof(Visit));
    }
    Visit get(NodeId root, unsigned subtree) const {
        return wire::load<Visit>(table_, place(root, subtree));
    }
    void put(NodeId root, unsigned subtree, Visit visit) {
        wire::store(table_, place(root, subtree), visit);
    }

    // The next one to send to: a child, or the parent when all children have acknowledged; kNoNode
    // at the root then.
    NodeId next(NodeId root, unsigned subtree, const Kernel& kernel) const {
        PortSequence children = rules_.children(network_, rule_, subtree, root, self_);
        for (unsigned served = get(root, subtree).served; served != 0 && !children.empty();
             --served)
            children.pop();
        if (!children.empty())
            return kernel.neighbor(children.pop());
        const Port up = rules_.parent(network_, rule_, subtree, root, self_);
        return up == kNoPort ? kNoNode : kernel.neighbor(up);
    }
    bool has_more(NodeId root, unsigned subtree) const {
        return get(root, subtree).served <
               rules_.children(network_, rule_, subtree, root, self_).size();
    }

private:
    std::size_t place(NodeId root, unsigned subtree) const {
        return (std::size_t{index(root)} * trees_ + subtree - first_) * sizeof(Visit);
    }

    Network network_;
    NodeId self_;
    Rule rule_;
    const TreeRules& rules_;
    unsigned first_;
    unsigned trees_;
    std::span<std::byte> table_;
};

Kernel::Posting send_step(Kernel& kernel, const PersonalPlan& plan, const Stride& step,
                          const Cutting::Fragment& fragment, std::span<const std::byte> payload) {
    wire::PacketHeader header{.subtree = static_cast<std::uint8_t>(step.subtree),
                              .payload_bytes = static_cast<std::uint16_t>(payload.size()),
                              .source = step.root,
                              .destination = step.to,
                              .tag = plan.tag,
                              .call = kernel.calls().label(plan.tag).call};
    Cutting{plan.block_bytes, plan.packet_bytes}.describe(fragment, header);
    header.unit_bytes = 0;
    return kernel.post(header, bytes_in(payload));
}

// The block to the next child; with no child left the acknowledgement, whose packet number is one
// that no packet has.
Task<Status> go_on(Kernel& kernel, const PersonalPlan& plan, Visits& visits, NodeId root,
                   unsigned subtree, std::span<const std::byte> blocks) {
    const Cutting cutting{plan.block_bytes, plan.packet_bytes};
    const Stride step{root, subtree, visits.next(root, subtree, kernel)};
    if (!visits.has_more(root, subtree)) {
        const Cutting::Fragment acknowledgement{cutting.packets(), 0, 0, true};
        if (step.to != kNoNode)
            co_await send_step(kernel, plan, step, acknowledgement, {});
        co_return Status::ok;
    }
    Visit visit = visits.get(root, subtree);
    visit.served = (visit.served + 1u) & 0xFFu;
    visits.put(root, subtree, visit);
    for (std::uint32_t number = 0; number < cutting.packets(); ++number) {
        const Cutting::Fragment fragment = cutting.at(number * plan.packet_bytes);
        const auto payload = blocks.subspan(
            std::size_t{index(root)} * plan.block_bytes + fragment.position, fragment.bytes);
        co_await send_step(kernel, plan, step, fragment, payload);
    }
    co_return Status::ok;
}

// The next packet of any neighbour; unreachable if there is none and a neighbour is dead, or if one
// says that a visit cannot end.
Task<Awaited> next_step(Kernel& kernel, Tag tag) {
    const Match any = kernel.calls().label(tag).match();
    Watch watch{kernel};
    while (!kernel.has(any)) {
        watch.listen();
        co_await kernel.wait_until(
            [&kernel, &watch, any] { return kernel.has(any) || watch.over(); });
        if (!watch.tired())
            continue;
        for (unsigned port = 0; port < kernel.ports() && !kernel.has(any); ++port) {
            const NodeId neighbor = kernel.neighbor(port_at(port));
            const Status there = co_await look_for(kernel, neighbor, {}, any);
            if (there != Status::ok && (kernel.dead_ports() & bit_of(port_at(port))) != 0)
                co_return Awaited{there};
        }
    }
    co_return judged(kernel.take(any));
}

} // namespace

Task<Status> allgather_depth_first(Kernel& kernel, const PersonalPlan& plan,
                                   const ExchangeMemory& memory, Arrivals& arrivals) {
    const Cutting cutting{plan.block_bytes, plan.packet_bytes};
    Visits visits{kernel, plan, memory};
    const std::size_t visits_bytes = std::size_t{kernel.nodes()} * visits.trees() * sizeof(Visit);
    const auto marks =
        memory.tables.subspan(visits_bytes, std::size_t{kernel.nodes()} * cutting.packets());
    Collector collector{kernel.id(), cutting, memory.blocks, marks, arrivals};
    Status status = Status::ok;
    const unsigned end = visits.first() + visits.trees();
    for (unsigned tree = visits.first(); tree < end && status == Status::ok; ++tree)
        status = co_await go_on(kernel, plan, visits, kernel.id(), tree, memory.blocks);
    std::uint32_t open = kernel.nodes() * visits.trees(); // visits that have not ended here
    while (open != 0 && status == Status::ok) {
        const Awaited step = co_await next_step(kernel, plan.tag);
        status = step.status;
        if (status != Status::ok)
            break;
        const Packet& packet = step.packet;
        const NodeId root = packet.header().source;
        const unsigned subtree = packet.header().subtree;
        if (!visits.knows(root, subtree))
            continue;
        arrivals.last_at = kernel.now();
        if (packet.header().message != cutting.packets()) {
            if (!collector.take(root, root, packet))
                continue;
            Visit visit = visits.get(root, subtree);
            visit.packets = (visit.packets + 1u) & 0xFF'FFFFu;
            visits.put(root, subtree, visit);
            if (visit.packets != cutting.packets())
                continue;
        }
        if (!visits.has_more(root, subtree))
            --open;
        status = co_await go_on(kernel, plan, visits, root, subtree, memory.blocks);
    }
    // A visit that cannot end holds up all that come after it: nobody gets everything any more.
    for (unsigned port = 0; status == Status::unreachable && port < kernel.ports(); ++port) {
        const wire::PacketHeader header{.destination = kernel.neighbor(port_at(port)),
                                        .tag = plan.tag,
                                        .flags =
                                            wire::packet_flag::kVoid | wire::packet_flag::kTimeless,
                                        .call = kernel.calls().label(plan.tag).call};
        co_await kernel.post(header);
    }
    co_return status;
}

} // namespace mesh
