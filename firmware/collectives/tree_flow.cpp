#include "collectives/tree_flow.hpp"

#include "core/base/bits.hpp"
#include "kernel/api/waits.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

namespace {

/// Numbers that no packet of a broadcast has: of a word to the parent, and of a packet that opens a
/// gate.
constexpr std::uint32_t kWord = 0xFFFF'FFFE;
constexpr std::uint32_t kOpen = 0xFFFF'FFFC;
/// The same at the gate before a call, whose words must not be taken for those of one in the call.
constexpr std::uint32_t kEarly = 4;
/// A gate is a broadcast of one packet through a window of two: word is owed that a node has begun.
constexpr std::uint32_t kGatePackets = 1;

constexpr Rule tree_of_words(Topology topology) {
    switch (topology) {
    case Topology::cube: return Rule::sbt;
    case Topology::uhc: return Rule::bts;
    case Topology::star: break;
    }
    return Rule::spt;
}

} // namespace

TreeFlow::TreeFlow(const Kernel& kernel, NodeId root, CallLabel label, bool begun)
    : label_(label),
      half_(half_window(kernel)),
      word_(kWord),
      taken_(kernel.id() == root ? kBegun + 1 : kBegun),
      told_(begun ? kBegun : 0) {
    const Network network = kernel.network();
    const TreeRules& trees = tree_rules(network.topology);
    const Rule rule = tree_of_words(network.topology);
    up_ = trees.parent(network, rule, 0, root, kernel.id());
    children_ = trees.children(network, rule, 0, root, kernel.id()).set();
    taken_below_.fill(told_);
}

TreeFlow TreeFlow::of_beginning(const Kernel& kernel, NodeId root, CallLabel label,
                                std::uint32_t word) {
    TreeFlow flow{kernel, root, label};
    flow.word_ = word;
    flow.half_ = 1;
    return flow;
}

std::uint32_t TreeFlow::half_window(const Kernel& kernel) {
    return std::max(1u, kernel.pool().capacity() / limits::kTreeWindowShare / 2);
}

Match TreeFlow::word_of(const Kernel& kernel, unsigned child) const {
    return label_.match(word_, kernel.neighbor(port_at(child)));
}

std::uint32_t TreeFlow::slowest_child() const {
    std::uint32_t slowest = ~std::uint32_t{0};
    for (std::uint32_t left = children_; left != 0; left &= left - 1)
        slowest = std::min(slowest, taken_below_[lowest_bit(left)]);
    return slowest;
}

std::uint32_t TreeFlow::slow_children() const {
    const std::uint32_t slowest = slowest_child();
    std::uint32_t slow = 0;
    for (std::uint32_t left = children_; left != 0; left &= left - 1)
        if (taken_below_[lowest_bit(left)] == slowest)
            slow |= left & (0 - left);
    return slow;
}

// Takes the words of the children, and notes which of them are no longer there. Mostly no child
// says anything, and one look at the mailbox finds that out.
void TreeFlow::hear(Kernel& kernel) {
    const std::uint32_t dead = children_ & kernel.dead_ports();
    if (dead == 0 && (children_ == 0 || !kernel.has(label_.match(word_))))
        return;
    for (std::uint32_t left = children_; left != 0; left &= left - 1) {
        const unsigned child = lowest_bit(left);
        std::uint32_t& taken = taken_below_[child];
        while (kernel.has(word_of(kernel, child)))
            taken = std::max(taken, kernel.take_control(word_of(kernel, child)).header().position);
    }
    children_ &= ~dead;
}

// Sends the parent the word that is owed to it. False if the pool cannot start that now.
bool TreeFlow::tell_parent(Kernel& kernel, std::uint32_t packets) {
    if (!owes() && !again_)
        return true;
    const std::uint32_t half = half_behind(told_);
    std::uint32_t due = std::min(taken_, slowest_child()) / half * half;
    const bool nothing_new = settled(packets) || due <= told_;
    if (nothing_new && !again_)
        return true;
    due = std::max(due, told_);
    const wire::PacketHeader word{.destination = kernel.neighbor(up_),
                                  .tag = label_.tag,
                                  .flags = wire::packet_flag::kTimeless,
                                  .message = word_,
                                  .position = due,
                                  .call = label_.call};
    if (!kernel.try_post(word, {}, 0, 0))
        return false;
    told_ = due;
    again_ = false;
    return true;
}

FlowWait::FlowWait(Kernel& kernel, TreeFlow& flow, std::uint32_t packets, Until until,
                   const Match& match, Path path, Taker taker, bool first)
    : Waiting(kernel.scheduler(), ask),
      kernel_(kernel),
      flow_(flow),
      packets_(packets),
      until_(until),
      match_(match),
      path_(path),
      taker_(taker),
      watch_(kernel),
      first_(first) {}

bool FlowWait::is_there() const {
    switch (until_) {
    case Until::room: return flow_.open();
    case Until::packet: return kernel_.has(match_);
    case Until::settled: break;
    }
    return flow_.settled(packets_);
}

// Looks for one node after the other. True while it waits for an answer.
bool FlowWait::looks() {
    for (;;) {
        if (look_ && !look_->over())
            return true;
        if (look_ && look_->status() != Status::ok) {
            if (child_ == kPortsMax)
                status_ = look_->status();
            else
                flow_.children_ &= ~(1u << child_);
        }
        look_.reset();
        if (slow_ != 0) {
            child_ = lowest_bit(slow_);
            slow_ &= slow_ - 1;
            const Match word = flow_.word_of(kernel_, child_);
            look_.emplace(kernel_, word.source, word).ask_now();
        } else if (std::exchange(look_up_, false)) {
            child_ = kPortsMax;
            look_.emplace(kernel_, match_.source, match_, path_).ask_now();
        } else {
            return false;
        }
    }
}

bool FlowWait::go_on() {
    if (taker_.take != nullptr)
        taker_.take(taker_.context, kernel_);
    for (;;) {
        if (looks())
            return false;
        if (status_ != Status::ok)
            return true;
        flow_.hear(kernel_);
        if (!flow_.tell_parent(kernel_, packets_))
            return false;
        if (is_there())
            return true;
        if (!std::exchange(listens_, true))
            watch_.listen();
        if (!watch_.over())
            return false;
        listens_ = false;
        watch_.tired();
        if (first_ && flow_.up_ == kNoPort)
            flow_ = TreeFlow{kernel_, match_.source, CallLabel::of(match_.tag, match_.call)};
        flow_.tell_again();
        slow_ = flow_.slow_children();
        look_up_ = until_ == Until::packet;
    }
}

// Gates -------------------------------------------------------------------------------------------

namespace {
// `co_await open_gate(...)`: sends all nodes that wait at the gate the packet that opens it.
[[gnu::noinline]] Kernel::Posting open_gate(Kernel& kernel, const Path& path, CallLabel label,
                                            std::uint32_t says) {
    return kernel.post({.rule = path.rule,
                        .subtree = path.subtree,
                        .tag = label.tag,
                        .flags = wire::packet_flag::kTimeless,
                        .message = says,
                        .call = label.call});
}
} // namespace

Task<Status> pass(Kernel& kernel, const Gate& gate) {
    const Network network = kernel.network();
    const Rule rule = tree_of_words(network.topology);
    CallRecord* const record = kernel.calls().find(gate.label.tag);
    const std::uint32_t before = record != nullptr ? record->packets : 0;
    const bool closed = gate.packets + before > 2 * TreeFlow::half_window(kernel);
    if (closed && !kernel.can_carry(rule))
        co_return Status::no_memory;
    if (record != nullptr && ((closed && gate.up) || gate.meets))
        record->meet();
    if (!closed)
        co_return Status::ok;
    if (record != nullptr && gate.packets != Gate::kAlways)
        record->set_share(1);
    const CallLabel label = gate.label.beside();
    TreeFlow flow;
    const std::uint32_t early = gate.packets == Gate::kAlways ? kEarly : 0;
    if (gate.up)
        flow = TreeFlow::of_beginning(kernel, gate.root, label, kWord - early);
    const auto subtree =
        static_cast<std::uint8_t>(tree_rules(network.topology).first_subtree(network, rule));
    const Match open = label.match(kOpen - early, gate.root);
    const Path path{.rule = rule, .subtree = subtree, .to_all = true};
    const bool is_root = kernel.id() == gate.root;
    FlowWait::Until until = FlowWait::Until::room;
    if (!is_root)
        until = gate.down ? FlowWait::Until::packet : FlowWait::Until::settled;
    Status status = Status::ok;
    do { // others may wait for the word of this node whether it has heard from the root or not
        const Status waited = co_await FlowWait{kernel, flow, kGatePackets, until, open, path};
        status = first_failure(status, waited);
        if (status == Status::ok && !is_root)
            flow.end(); // the gate is open
    } while (std::exchange(until, FlowWait::Until::settled) == FlowWait::Until::packet);
    if (is_root && gate.down) {
        co_await open_gate(kernel, path, label, open.message);
    } else if (gate.down && status == Status::ok) {
        const Packet opened = kernel.take_control(open);
    }
    co_return status;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
/// A friend of FlowWait: offsets of its private fields, for the table `mesh_waits`.
struct FlowWaitPlaces {
    static constexpr WaitOffsets kOffsets{"mesh::FlowWait", WaitKind::mail,
                                          offsetof(FlowWait, match_), offsetof(FlowWait, until_),
                                          static_cast<std::size_t>(WaitKind::children)};
    static_assert(static_cast<int>(FlowWait::Until::packet) == 1);
};
#pragma GCC diagnostic pop

namespace {
MESH_WAIT_OFFSETS constinit const WaitOffsets kFlowWaitOffsets = FlowWaitPlaces::kOffsets;
}

} // namespace mesh
