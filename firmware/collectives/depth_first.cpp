// The paper's multinode broadcast: in each of its trees a block visits the nodes depth first. A
// node passes it on to its first child and waits for that child's acknowledgement, then to the
// next, and acknowledges to its parent when all children have. No two packets ever want the same
// link; but one dead child holds up all packets that would have come later, and the exchange fails.
// Here for comparison; Schedule::queue is faster and survives. (fragopoulou-akl-1993, 4.4)
#include "collectives/await.hpp"
#include "collectives/collector.hpp"
#include "wire/bytes.hpp"

#include <utility>

namespace mesh {

namespace {

// Where the visit of one tree is, at one node.
struct Visit {
    std::uint32_t packets : 24 = 0; // of the block that came over it
    std::uint32_t served : 8 = 0;   // children that have been sent to
};
static_assert(sizeof(Visit) == 4);

// One packet between neighbours. The packets of a tree are named by its root and number.
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

    // The next node to send to: a child, or the parent when all children have acknowledged; kNoNode
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

// Waits for the next packet of any neighbour. Unreachable if there is none and a neighbour is dead.
class StrideSearch final : public Search {
public:
    StrideSearch(Kernel& kernel, CallLabel label) : Search(kernel, label) {}
    [[gnu::warn_unused_result]] Status await_resume() const { return status_; }

private:
    bool is_over() const override { return status_ != Status::ok || kernel_.has(label_.match()); }
    bool choose(bool first, Subject& subject) override {
        port_ = first ? 0 : port_ + 1;
        if (is_over() || port_ == kernel_.ports())
            return false;
        subject.node = kernel_.neighbor(port_at(port_));
        return true;
    }
    void found(Status there) override {
        if ((kernel_.dead_ports() & bit_of(port_at(port_))) != 0)
            status_ = first_failure(status_, there);
    }

    Status status_ = Status::ok;
    unsigned port_ = 0; // of the neighbour that is looked for
};

// The visits at one node: the packets that have come, and those that it sends.
class DepthFirst {
public:
    DepthFirst(const Kernel& kernel, const PersonalPlan& plan, const ExchangeMemory& memory,
               Arrivals& arrivals)
        : label_(kernel.calls().label(plan.tag)),
          segmentation_{plan.block_bytes, plan.packet_bytes},
          blocks_(memory.blocks),
          visits_(kernel, plan, memory),
          collector_(
              kernel.id(), segmentation_, memory.blocks,
              memory.tables.subspan(std::size_t{kernel.nodes()} * visits_.trees() * sizeof(Visit),
                                    std::size_t{kernel.nodes()} * segmentation_.packets()),
              arrivals),
          open_(kernel.nodes() * visits_.trees()) {}

    bool finished() const { return open_ == 0; }
    // Begins this node's own visits, one after the other; false: all have begun.
    bool begin_next(const Kernel& kernel) {
        if (begun_ == visits_.trees())
            return false;
        begin(kernel, kernel.id(), visits_.first() + begun_++);
        return true;
    }
    void hear(Kernel& kernel, const Packet& packet) {
        const NodeId root = packet.header().source;
        const unsigned subtree = packet.header().subtree;
        if (!visits_.knows(root, subtree))
            return;
        collector_.arrivals().last_at = kernel.now();
        if (packet.header().message != segmentation_.packets()) {
            if (!collector_.take(root, root, packet))
                return;
            Visit visit = visits_.get(root, subtree);
            visit.packets = (visit.packets + 1u) & 0xFF'FFFFu;
            visits_.put(root, subtree, visit);
            if (visit.packets != segmentation_.packets())
                return;
        }
        if (!visits_.has_more(root, subtree))
            --open_;
        begin(kernel, root, subtree);
    }

    // Packets are to be sent of the visit that has come last.
    bool sends() const { return number_ != end_; }
    Kernel::Posting send(Kernel& kernel) {
        const Segmentation::Fragment acknowledgement{number_, 0, 0, true};
        const bool is_last = number_ == segmentation_.packets();
        const Segmentation::Fragment fragment =
            is_last ? acknowledgement : segmentation_.at(number_ * segmentation_.packet_bytes);
        ++number_;
        wire::PacketHeader header{.subtree = static_cast<std::uint8_t>(stride_.subtree),
                                  .payload_bytes = fragment.bytes,
                                  .source = stride_.root,
                                  .destination = stride_.to,
                                  .tag = label_.tag,
                                  .call = label_.call};
        segmentation_.describe(fragment, header);
        header.unit_bytes = 0;
        return kernel.post(header, bytes_in(blocks_),
                           index(stride_.root) * segmentation_.total_bytes + fragment.position);
    }

private:
    // The block to the next child; with no child left the acknowledgement, whose packet number is
    // one that no packet has.
    void begin(const Kernel& kernel, NodeId root, unsigned subtree) {
        stride_ = {root, subtree, visits_.next(root, subtree, kernel)};
        number_ = segmentation_.packets();
        end_ = number_ + (stride_.to == kNoNode ? 0 : 1);
        if (!visits_.has_more(root, subtree))
            return;
        end_ = std::exchange(number_, 0u);
        Visit visit = visits_.get(root, subtree);
        visit.served = (visit.served + 1u) & 0xFFu;
        visits_.put(root, subtree, visit);
    }

    CallLabel label_;
    Segmentation segmentation_;
    std::span<const std::byte> blocks_;
    Visits visits_;
    Collector collector_;
    std::uint32_t open_; // visits that have not ended here
    unsigned begun_ = 0; // of this node's own
    Stride stride_{};
    std::uint32_t number_ = 0, end_ = 0; // of packets
};

} // namespace

Task<Status> allgather_depth_first(Kernel& kernel, const PersonalPlan& plan,
                                   const ExchangeMemory& memory, Arrivals& arrivals) {
    const CallLabel label = kernel.calls().label(plan.tag);
    DepthFirst visits{kernel, plan, memory, arrivals};
    Status status = Status::ok;
    while (status == Status::ok) {
        while (visits.sends())
            co_await visits.send(kernel);
        if (visits.begin_next(kernel))
            continue;
        if (visits.finished())
            break;
        status = co_await StrideSearch{kernel, label};
        if (status != Status::ok)
            break;
        const Awaited step = judged(kernel.take(label.match()));
        status = step.status; // unreachable: a visit of that neighbour's cannot end
        if (status == Status::ok)
            visits.hear(kernel, step.packet);
    }
    // A visit that cannot end holds up all that come after it: no node gets all blocks any more.
    for (unsigned port = 0; status == Status::unreachable && port < kernel.ports(); ++port) {
        const wire::PacketHeader header{.destination = kernel.neighbor(port_at(port)),
                                        .tag = plan.tag,
                                        .flags = wire::packet_flag::kPoisoned |
                                                 wire::packet_flag::kTimeless,
                                        .call = label.call};
        co_await kernel.post(header);
    }
    co_return status;
}

} // namespace mesh
