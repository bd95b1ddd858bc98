#include "collectives/reduction.hpp"

#include "collectives/agreement.hpp"
#include "collectives/call.hpp"
#include "collectives/segments.hpp"
#include "core/schedules/timetable.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mesh {

namespace {

/// Flags of a packet that says that this node has missed something. A node that waits for an
/// operand or a question of this node is told so, once.
constexpr std::uint8_t kMissed = wire::packet_flag::kPoisoned | wire::packet_flag::kTimeless;

// A reduction under way ---------------------------------------------------------------------------

struct Reduction {
    BroadcastPlan segments;
    CallLabel label;
    Combiner combiner;
    std::span<std::byte> buffer;
    bool to_all;
    bool publishes;        // at the root, each segment of the result at once
    bool by_steps = false; // one process for all subtrees; else one for each
    unsigned processes = 0;
    unsigned subtrees = 0;
    bool disagrees = false;     // with a neighbour, about the plan
    Status status = Status::ok; // once it is not, all processes of the job end

    /// Keeps the first status that is not ok.
    void fail(Status with) { status = first_failure(status, with); }

    std::span<std::byte> segment(std::uint32_t number) const {
        return segment_of(buffer, segments, number);
    }
    /// The label of results: one beside the call where they are a broadcast behind it, that could
    /// overtake the last operands.
    CallLabel label_of_results() const { return publishes ? label : label.beside(); }
    /// True if nodes below this one wait for results and only this node can say that they do not
    /// come: it has a neighbour that does not do the same, and that may be the root.
    bool warns(Port parent) const { return to_all && disagrees && parent != kNoPort; }
};

/// This node's place in a subtree.
struct Place {
    Port parent = kNoPort;
    unsigned count = 0;
    std::array<Port, kPortsMax> ports{};

    /// In the order in which they are asked: begins with the last that the broadcast would serve.
    std::span<const Port> children() const { return std::span{ports}.first(count); }
};

Place place_in(const Kernel& kernel, const BroadcastPlan& plan, unsigned subtree) {
    const Network network = kernel.network();
    const TreeRules& trees = tree_rules(network.topology);
    subtree += trees.first_subtree(network, plan.tree);
    Place place{trees.parent(network, plan.tree, subtree, plan.root, kernel.id())};
    PortSequence order = trees.children(network, plan.tree, subtree, plan.root, kernel.id());
    while (!order.empty() && place.count < kPortsMax)
        place.ports[place.count++] = order.pop();
    std::reverse(place.ports.begin(), place.ports.begin() + place.count);
    return place;
}

/// Combines the operand that a neighbour has sent into ours.
Status combine(const Reduction& job, std::uint32_t number, const Awaited& theirs) {
    if (theirs.status != Status::ok)
        return theirs.status;
    const auto segment = job.segment(number);
    if (theirs.packet.payload().size() != segment.size())
        return Status::bad_argument;
    job.combiner(segment, theirs.packet.payload(), segment);
    return Status::ok;
}

/// The root sends a segment of the result; poisoned if something was missed. Where results are a
/// broadcast behind the reduction, it is the only packet of that broadcast, and poisoned.
void publish(Step& step, const Kernel& kernel, const Reduction& job, std::uint32_t number) {
    const bool nothing = job.status != Status::ok;
    std::span<const std::byte> segment;
    if (!nothing)
        segment = job.segment(number);
    step.send({.rule = job.segments.tree,
               .subtree = path_of(kernel, job.segments, number).subtree,
               .source = job.segments.root,
               .tag = job.label.tag,
               .flags = nothing ? wire::packet_flag::kPoisoned : std::uint8_t{0},
               .message = job.publishes ? kResult + number : 0,
               .call = job.label_of_results().call},
              segment);
}

// msbt with one port ------------------------------------------------------------------------------

constexpr std::uint32_t kNoPacket = ~0u;

/// The packet that the node at `place` sends across `port` in `step` of the broadcast.
std::uint32_t packet_of_step(Hypercube cube, Relative place, Port port, std::uint32_t step,
                             std::uint32_t packets) {
    for (unsigned subtree = 0; subtree < cube.dim; ++subtree) {
        if (((msbt_children(cube, place, subtree) >> index(port)) & 1u) == 0)
            continue;
        const std::uint32_t first =
            msbt_start(cube, PortModel::duplex, place, port, subtree, packets);
        const std::uint32_t packet = subtree + step - first;
        return step >= first && packet < packets ? packet : kNoPacket;
    }
    return kNoPacket;
}

/// One step of a node: the packet `ours` goes across `port`, `theirs` comes. `order`: the order in
/// which it asks, takes and gives: under half the side with the bit clear gives first.
struct Swap {
    Port port = kNoPort;
    std::uint32_t ours = kNoPacket, theirs = kNoPacket;
    const char* order = "";
};

Swap swap_of(const Kernel& kernel, const BroadcastPlan& plan, std::uint32_t number) {
    const Hypercube cube{kernel.network().dim};
    const Port port = port_at(number % cube.dim);
    const Relative place = relative_address(kernel.id(), plan.root);
    const Relative peer = relative_address(cube.neighbor(kernel.id(), port), plan.root);
    const char* order = "agt";
    if (kernel.job().ports == PortModel::half)
        order = index(place) < index(peer) ? "gat" : "atg";
    return {port, packet_of_step(cube, peer, port, number, plan.packets()),
            packet_of_step(cube, place, port, number, plan.packets()), order};
}

// Climbing ----------------------------------------------------------------------------------------

/// All segments of one subtree, one after the other; or of all subtrees by the steps of the
/// broadcast from the last to the first, in each of which every node exchanges with its neighbour
/// across the same dimension. When a segment will not come, the neighbours must not wait, nor the
/// nodes that wait for results, one of each of their subtrees.
///
/// Children that cannot be in each other's way are asked one segment ahead: a question cannot
/// overtake packets that went before it on its cable. On the UHC a question goes round by three
/// links, each with operands before it: there children are asked three segments ahead, since to ask
/// in turn would be slow. While many calls are under way none asks ahead: an operand that is asked
/// for in its turn is combined as soon as it comes, and needs no buffer meanwhile.
class Climb {
public:
    Climb(const Kernel& kernel, Reduction& job, unsigned subtree)
        : job_(&job),
          number_(subtree),
          asked_for_(subtree) {
        if (job.by_steps) {
            number_ = job.segments.packets() + kernel.network().dim;
            place_.parent = kernel.id() == job.segments.root ? kNoPort : port_at(0);
            return;
        }
        place_ = place_in(kernel, job.segments, subtree);
        const PortModel ports = kernel.job().ports;
        const bool detour = kernel.network().topology == Topology::uhc;
        asks_in_turn_ = !detour && (ports == PortModel::half ||
                                    (ports == PortModel::duplex && place_.count > 1));
        ahead_ = job.processes * (detour ? 3 : 1);
    }

    bool next(Kernel& kernel, Step& step) {
        if (goes_on(kernel, step))
            return true;
        act_ = job_->by_steps ? act_of_swap(kernel) : act_of_subtree(kernel);
        if (act_ == Act::none && job_->status != Status::ok)
            act_ = act_of_warning(kernel);
        switch (act_) {
        case Act::none: step.fail(job_->status); return false;
        case Act::ask: ask(step, port_); return true;
        case Act::take: step.take_across(port_, kOperand); return true;
        case Act::give: step.take_across(port_, kAsk); return true;
        case Act::publish: publish(step, kernel, *job_, segment_); return true;
        case Act::given: // it follows `give`
        case Act::warn: step.tell(port_, segment_, kMissed); return true;
        }
        return true;
    }

private:
    /// `give`: our operand goes to the neighbour, when it asks. `warn`: `segment_` is the word that
    /// we say.
    enum class Act : std::uint8_t { none, ask, take, give, given, publish, warn };

    /// Ends the act that was begun. True if the act has a second step.
    bool goes_on(Kernel& kernel, Step& step) {
        if (act_ == Act::take) {
            status_ = combine(*job_, segment_, step.taken());
        } else if (act_ == Act::give) {
            status_ = step.taken().status;
            if (status_ == Status::ok) {
                act_ = Act::given;
                step.tell(port_, kOperand, 0, job_->segment(segment_));
                return true;
            }
        } else if (act_ == Act::given && kernel.job().ports == PortModel::half) {
            // asks for nothing before this has left
            kernel.advance_clock(kernel.now() +
                                 kernel.link_time(job_->segments.bytes_of(segment_)));
        }
        job_->fail(status_);
        return false;
    }

    /// The next act for the segment that is under way, or for the next one if nothing is missed.
    Act act_of_subtree(const Kernel& kernel) {
        const std::uint32_t end = job_->segments.packets();
        while (status_ == Status::ok && number_ < end) {
            if (!in_segment_) {
                if (job_->status != Status::ok)
                    break;
                crowded_ = kernel.calls().under_way() >
                           limits::calls_that_ask_ahead(kernel.pool().capacity());
                in_turn_ = asks_in_turn_ || (crowded_ && asked_for_ == number_);
                if (in_turn_)
                    asked_for_ = number_ + job_->processes;
            }
            in_segment_ = true;
            segment_ = number_;
            if (!in_turn_ && turn_ == 0 && asked_for_ < end &&
                asked_for_ <= number_ + (crowded_ ? 0 : ahead_)) {
                if (asked_ < place_.count) {
                    port_ = place_.ports[asked_++];
                    return Act::ask;
                }
                asked_ = 0;
                asked_for_ += job_->processes;
                continue;
            }
            const unsigned turn = turn_++;
            if (turn / 2 < place_.count) { // asks a child, then takes its operand
                port_ = place_.ports[turn / 2];
                if (turn % 2 != 0)
                    return Act::take;
                if (in_turn_)
                    return Act::ask;
            } else if (turn % 2 == 0) {
                port_ = place_.parent;
                if (port_ != kNoPort)
                    return Act::give;
                if (job_->publishes)
                    return Act::publish;
            } else {
                in_segment_ = false;
                turn_ = 0;
                number_ += job_->processes;
            }
        }
        return Act::none;
    }

    /// The same by steps.
    Act act_of_swap(const Kernel& kernel) {
        while (status_ == Status::ok) {
            if (*swap_.order == 0) {
                if (number_ == 0 || job_->status != Status::ok)
                    break;
                swap_ = swap_of(kernel, job_->segments, --number_);
            }
            const char what = *swap_.order++;
            port_ = swap_.port;
            segment_ = what == 'g' ? swap_.ours : swap_.theirs;
            if (segment_ == kNoPacket)
                continue;
            if (what == 'g')
                return Act::give;
            return what == 'a' ? Act::ask : Act::take;
        }
        return Act::none;
    }

    /// Tells the neighbours, then the nodes that wait for results.
    Act act_of_warning(const Kernel& kernel) {
        const bool by_steps = job_->by_steps;
        while (warned_ < (by_steps ? 2 * kernel.ports() : place_.count + 1)) {
            const unsigned number = warned_++;
            bool asked = number == 0; // by the neighbour: it waits for an operand
            port_ = asked ? place_.parent : place_.ports[number - 1];
            if (by_steps) {
                number_ = 0;
                asked = number % 2 != 0;
                port_ = port_at(number / 2);
            }
            segment_ = asked ? kOperand : kAsk;
            if (port_ != kNoPort)
                return Act::warn;
        }
        const Port parent = place_.parent;
        const std::uint32_t last = job_->publishes ? job_->segments.packets() : 1;
        const unsigned trees = (job_->subtrees + job_->processes - 1) / job_->processes;
        if (published_ == trees || number_ >= last ||
            !((parent == kNoPort && job_->publishes) || job_->warns(parent)))
            return Act::none;
        ++published_;
        segment_ = number_;
        number_ += job_->processes;
        return Act::publish;
    }

    Reduction* job_;
    Status status_ = Status::ok; // of the segment under way
    Act act_ = Act::none;
    Port port_ = kNoPort;
    bool in_segment_ = false;
    bool asks_in_turn_ = false; // no child is asked before the one before it has answered
    bool in_turn_ = false;      // the same for the segment
    bool crowded_ = false;      // more calls are under way than may ask ahead
    std::uint8_t asked_ = 0;    // children, for a segment ahead
    std::uint8_t turn_ = 0;     // in the segment
    std::uint8_t warned_ = 0;   // nodes that are told that something is missed
    std::uint8_t published_ = 0;
    std::uint32_t ahead_ = 0;   // asked for segments up to so many after this one
    std::uint32_t number_;      // of the segment, or of the step
    std::uint32_t asked_for_;   // segments before this one
    std::uint32_t segment_ = 0; // of the act
    Place place_;
    Swap swap_;
};

// Whole reductions --------------------------------------------------------------------------------

/// The results that the root publishes, as the other nodes take them. A subtree by which nothing
/// comes any more, or a poisoned segment, is not waited for again.
class Results {
public:
    explicit Results(const Reduction& job) : job_(&job) {}

    bool next(Kernel& kernel, Step& step) {
        if (waits_) {
            step.fail(put(step.taken()));
            ++number_;
        }
        waits_ = true;
        for (; number_ < job_->segments.packets(); ++number_) {
            const Path path = path_of(kernel, job_->segments, number_);
            subtree_ = 1u << path.subtree;
            if ((lost_ & subtree_) != 0)
                continue;
            step.take(job_->segments.root, kResult + number_, path);
            return true;
        }
        return false;
    }

private:
    Status put(const Awaited& result) {
        const auto segment = job_->segment(number_);
        if (result.status != Status::ok)
            lost_ |= subtree_;
        else if (result.packet.payload().size() == segment.size())
            copy_bytes(result.packet.payload(), segment);
        else
            return Status::bad_argument;
        return result.status;
    }

    const Reduction* job_;
    std::uint32_t number_ = 0;  // of a segment
    std::uint32_t subtree_ = 0; // by which that comes
    std::uint32_t lost_ = 0;    // subtrees
    bool waits_ = false;
};

/// The tree that a reduction climbs: structures for sending stand for the one they extend.
constexpr Rule one_way_up(Rule tree) {
    if (tree == Rule::sbg)
        return Rule::sbnt_minr;
    return tree == Rule::msbt_rot ? Rule::msbt : tree;
}

/// The job of a plan; status bad_argument or no_memory if it cannot be done here.
[[gnu::noinline]] Reduction job_of(const Kernel& kernel, const ReducePlan& plan,
                                   std::span<std::byte> buffer, bool to_all) {
    const bool all_ports = kernel.job().ports == PortModel::all;
    Reduction job{segments_of(plan.total_bytes, plan.packet_bytes, plan.combiner),
                  kernel.calls().label(plan.tag),
                  plan.combiner,
                  buffer,
                  to_all,
                  to_all && all_ports};
    job.segments.tree = one_way_up(named_tree(kernel.network(), plan.tree));
    job.segments.root = plan.root;
    const Network network = kernel.network();
    job.subtrees = tree_rules(network.topology).subtree_count(network, job.segments.tree);
    if (job.segments.packet_bytes == 0 || buffer.size() < plan.total_bytes || job.subtrees == 0 ||
        index(plan.root) >= kernel.nodes()) {
        job.status = Status::bad_argument;
        return job;
    }
    if (!kernel.can_carry(Rule::unicast) || (to_all && !kernel.can_carry(job.segments.tree)))
        job.status = Status::no_memory;
    job.by_steps = job.segments.tree == Rule::msbt && !all_ports;
    const bool single = job.by_steps || network.topology == Topology::uhc;
    job.processes = single ? 1 : std::min<std::uint32_t>(job.subtrees, job.segments.packets());
    return job;
}

std::uint32_t word_of(const Reduction& job) {
    return plan_word({static_cast<std::uint32_t>(job.segments.tree), index(job.segments.root),
                      job.segments.total_bytes, job.segments.packet_bytes, job.to_all,
                      job.combiner.operation});
}

// The functions that make walks are no coroutines: their objects need no room in a frame but that
// of the walk.
[[gnu::noinline]] Process climber(Kernel& kernel, Reduction& job, unsigned number) {
    return walk(kernel, job.label.tag, Climb{kernel, job, number});
}
[[gnu::noinline]] Task<Status> take_results(Kernel& kernel, const Reduction& job) {
    return walk(kernel, job.label.tag, Results{job});
}

/// A node that does not agree with a neighbour spawns its processes all the same: they tell the
/// others.
Task<Status> run(Kernel& kernel, ReducePlan plan, std::span<std::byte> buffer, bool to_all) {
    Reduction job = job_of(kernel, plan, buffer, to_all);
    if (job.status == Status::no_memory)
        co_return job.status;
    const bool possible = job.status == Status::ok;
    if (to_all && possible) // no node has a result before all have begun
        kernel.calls().find(plan.tag)->meet();
    Agreement agreement{kernel, job.label, word_of(job), job.status};
    job.fail(co_await agreement);
    if (!possible)
        co_return job.status;
    job.disagrees = job.status != Status::ok;
    std::array<ProcessId, limits::kReceiversMax> ids;
    unsigned spawned = 0;
    while (spawned < std::min<std::size_t>(job.processes, ids.size()) &&
           kernel.spawn(climber(kernel, job, spawned), ids[spawned]))
        ++spawned;
    if (spawned < job.processes)
        job.fail(Status::no_memory);
    const bool is_root = kernel.id() == plan.root;
    if (job.publishes && !is_root && job.status == Status::ok)
        job.fail(co_await take_results(kernel, job));
    for (unsigned number = 0; number < spawned; ++number)
        job.fail(co_await end_of(kernel, ids[number]));
    if (to_all && !job.publishes && (is_root || !job.disagrees))
        job.fail(co_await broadcast_within(kernel, job.label_of_results(), job.segments, buffer,
                                           job.status));
    co_return job.status;
}

} // namespace

Task<Status> reduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer) {
    return as_call(detail::noted(kernel, {"reduction", " to node ", index(plan.root)}), plan.tag,
                   run(kernel, plan, buffer, false));
}

Task<Status> allreduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer) {
    // Segments are at least half as large as packets may be.
    const std::uint32_t segments =
        2 * plan.total_bytes / std::max<std::uint32_t>(plan.packet_bytes, 1);
    return as_call(detail::noted(kernel, {"allreduce"}), plan.tag, run(kernel, plan, buffer, true),
                   1 + segments);
}

} // namespace mesh
