#include "collectives/reduction.hpp"

#include "collectives/agreement.hpp"
#include "collectives/await.hpp"
#include "collectives/call.hpp"
#include "core/cube/timetable.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace mesh {

namespace {

// Pieces and packets ------------------------------------------------------------------------------

/// What a packet of a collective says, in the header's field for the number of a message, which
/// single packets do not need. It need not name the subtree: no two use a link in one direction.
/// Piece p of the result is kResult + p.
constexpr std::uint32_t kOperand = 0, kAsk = 1, kResult = 2;

/// The message cut into pieces of whole elements; none of a Combiner that cannot be.
constexpr BroadcastPlan cut(std::uint32_t total_bytes, std::uint16_t packet_bytes,
                            const Combiner& combiner) {
    if (combiner.combine == nullptr || combiner.element_bytes == 0 ||
        packet_bytes > wire::kPayloadBytesMax || total_bytes % combiner.element_bytes != 0)
        return {.packet_bytes = 0};
    const std::size_t piece = packet_bytes - packet_bytes % combiner.element_bytes;
    return {.total_bytes = total_bytes, .packet_bytes = static_cast<std::uint16_t>(piece)};
}

std::span<std::byte> piece_of(std::span<std::byte> buffer, const BroadcastPlan& pieces,
                              std::uint32_t number) {
    return buffer.subspan(number * pieces.packet_bytes, pieces.bytes_of(number));
}

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
    std::copy(from.begin(), from.end(), to.begin());
}

/// `co_await post_across(...)`: sends `payload` across `port` to the neighbour; `flags`: see
/// wire::packet_flag.
auto post_across(Kernel& kernel, Port port, CallLabel label, std::uint32_t says, std::uint8_t flags,
                 std::span<const std::byte> payload = {}) {
    const wire::PacketHeader header{.payload_bytes = static_cast<std::uint16_t>(payload.size()),
                                    .destination = kernel.neighbor(port),
                                    .tag = label.tag,
                                    .flags = flags,
                                    .message = says,
                                    .call = label.call};
    return kernel.post(header, bytes_in(payload));
}

/// `judged(co_await from_across(...))`: the neighbour's next packet that says this.
PacketAwait from_across(Kernel& kernel, Port port, CallLabel label, std::uint32_t says) {
    return await_packet(kernel, kernel.neighbor(port), label.match(says));
}

/// `co_await ask(...)`: asks the neighbour across `port` for an operand.
auto ask(Kernel& kernel, CallLabel label, Port port) {
    return post_across(kernel, port, label, kAsk, wire::packet_flag::kTimeless);
}

/// `co_await say_void(...)`: this node has missed something; whoever waits for an operand or a
/// question of it across `port` is told so, once. What it says then is void.
auto say_void(Kernel& kernel, CallLabel label, Port port, std::uint32_t says) {
    return post_across(kernel, port, label, says,
                       wire::packet_flag::kVoid | wire::packet_flag::kTimeless);
}

// A reduction under way ---------------------------------------------------------------------------

struct Reduction {
    BroadcastPlan pieces;
    CallLabel label;
    Combiner combiner;
    std::span<std::byte> buffer;
    bool to_all;
    bool publishes;        // at the root, each piece of the result at once
    bool by_steps = false; // one process for all subtrees; else one for each
    unsigned processes = 0;
    unsigned subtrees = 0;
    bool disagrees = false;     // with a neighbour, about the plan
    Status status = Status::ok; // once it is not, all processes of the job end

    /// Keeps the first status that is not ok.
    void fail(Status with) { status = worse(status, with); }

    std::span<std::byte> piece(std::uint32_t number) const {
        return piece_of(buffer, pieces, number);
    }
    /// Of results: where they are a broadcast behind it, that could overtake the last operands.
    CallLabel label_of_results() const { return publishes ? label : label.beside(); }
    /// Nodes below this one wait for results of which only it can say that they do not come: it has
    /// a neighbour that does not do the same, and that may be the root.
    bool warns(Port parent) const { return to_all && disagrees && parent != kNoPort; }
};

/// This node's place in a subtree.
struct Place {
    Port parent = kNoPort;
    unsigned count = 0;
    std::array<Port, kPortsMax> ports{};

    /// In the order in which they are asked: from the last that the broadcast would serve.
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
Status combine(const Reduction& job, std::uint32_t number, Packet&& operand) {
    const Awaited theirs = judged(std::move(operand));
    if (theirs.status != Status::ok)
        return theirs.status;
    const auto piece = job.piece(number);
    if (theirs.packet.payload().size() != piece.size())
        return Status::bad_argument;
    job.combiner(piece, theirs.packet.payload(), piece);
    return Status::ok;
}

/// Sends our operand to the neighbour, when it asks.
Task<Status> give(Kernel& kernel, const Reduction& job, Port port, std::uint32_t number) {
    const Awaited asks = judged(co_await from_across(kernel, port, job.label, kAsk));
    if (asks.status != Status::ok)
        co_return asks.status;
    co_await post_across(kernel, port, job.label, kOperand, 0, job.piece(number));
    if (kernel.job().ports == PortModel::half) // asks for nothing before this has left
        kernel.advance_clock(kernel.now() + kernel.link_time(job.pieces.bytes_of(number)));
    co_return Status::ok;
}

/// `co_await publish(...)`: the root has a piece of the result; void if something was missed. Where
/// results are a broadcast behind it all, the only packet of that, and void.
auto publish(Kernel& kernel, const Reduction& job, std::uint32_t number) {
    const auto piece = job.piece(number);
    wire::PacketHeader header{.rule = job.pieces.tree,
                              .subtree = path_of(kernel, job.pieces, number).subtree,
                              .source = job.pieces.root,
                              .tag = job.label.tag,
                              .message = job.publishes ? kResult + number : 0,
                              .call = job.label_of_results().call};
    if (job.status == Status::ok)
        header.payload_bytes = static_cast<std::uint16_t>(piece.size());
    else
        header.flags = wire::packet_flag::kVoid;
    return kernel.post(header, bytes_in(piece));
}

/// How the pieces of one subtree climb. Children that cannot be in each other's way are asked one
/// piece ahead: a question cannot overtake what went before it on its cable. On the UHC it goes
/// round by three links, each with operands before it: three ahead, and in turn would be slow.
struct Climb {
    Place place;
    bool in_turn;        // no child is asked before the one before it has answered
    std::uint32_t ahead; // else: asked for pieces up to so many after this one

    Climb(const Kernel& kernel, const Reduction& job, unsigned subtree)
        : place(place_in(kernel, job.pieces, subtree)) {
        const PortModel ports = kernel.job().ports;
        const bool detour = kernel.network().topology == Topology::uhc;
        in_turn = !detour &&
                  (ports == PortModel::half || (ports == PortModel::duplex && place.count > 1));
        ahead = job.processes * (detour ? 3 : 1);
    }
};

/// All pieces of one subtree, one after the other. When one will not come, its neighbours there
/// must not wait, nor those who wait for results, one of each of their subtrees.
Process climb_subtree(Kernel& kernel, Reduction& job, unsigned subtree) {
    const Climb climb{kernel, job, subtree};
    const Place& place = climb.place;
    const CallLabel label = job.label;
    const std::uint32_t end = job.pieces.packets();
    std::uint32_t asked_for = subtree;
    std::uint32_t number = subtree;
    for (; number < end && job.status == Status::ok; number += job.processes) {
        for (; !climb.in_turn && asked_for < end && asked_for <= number + climb.ahead;
             asked_for += job.processes)
            for (const Port child : place.children())
                co_await ask(kernel, label, child);
        Status status = Status::ok;
        for (unsigned child = 0; child < place.count && status == Status::ok; ++child) {
            const Port port = place.ports[child];
            if (climb.in_turn)
                co_await ask(kernel, label, port);
            status = combine(job, number, co_await from_across(kernel, port, label, kOperand));
        }
        if (status == Status::ok && place.parent != kNoPort)
            status = co_await give(kernel, job, place.parent, number);
        else if (status == Status::ok && job.publishes)
            co_await publish(kernel, job, number);
        job.fail(status);
        if (status != Status::ok)
            break; // else this piece is through, and the next one will not be
    }
    if (job.status == Status::ok)
        co_return Status::ok;
    if (place.parent != kNoPort)
        co_await say_void(kernel, label, place.parent, kOperand);
    for (const Port child : place.children())
        co_await say_void(kernel, label, child, kAsk);
    const std::uint32_t last = job.publishes ? end : 1;
    unsigned trees = (job.subtrees + job.processes - 1) / job.processes;
    if ((place.parent == kNoPort && job.publishes) || job.warns(place.parent))
        for (; trees != 0 && number < last; --trees, number += job.processes)
            co_await publish(kernel, job, number);
    co_return job.status;
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

/// What a node does in one step: the packet `ours` goes across `port`, `theirs` comes. In which
/// order it asks, takes and gives: under half the side with the bit clear gives first.
struct Step {
    Port port;
    std::uint32_t ours, theirs;
    std::string_view order;
};

Step step_of(const Kernel& kernel, const BroadcastPlan& plan, std::uint32_t number) {
    const Hypercube cube{kernel.network().dim};
    const Port port = port_at(number % cube.dim);
    const Relative place = relative_address(kernel.id(), plan.root);
    const Relative peer = relative_address(cube.neighbor(kernel.id(), port), plan.root);
    std::string_view order = "agt";
    if (kernel.job().ports == PortModel::half)
        order = index(place) < index(peer) ? "gat" : "atg";
    return {port, packet_of_step(cube, peer, port, number, plan.packets()),
            packet_of_step(cube, place, port, number, plan.packets()), order};
}

/// All pieces of all subtrees: the steps of the broadcast from the last to the first. In each of
/// them every node exchanges with its neighbour across the same dimension.
Process climb_by_steps(Kernel& kernel, Reduction& job) {
    const std::uint32_t steps = job.pieces.packets() + kernel.network().dim;
    for (std::uint32_t number = steps; number-- > 0;) {
        const Step step = step_of(kernel, job.pieces, number);
        for (unsigned turn = 0; turn < step.order.size() && job.status == Status::ok; ++turn) {
            const char what = step.order[turn];
            if (what == 'g' && step.ours != kNoPacket)
                job.fail(co_await give(kernel, job, step.port, step.ours));
            else if (what == 'a' && step.theirs != kNoPacket)
                co_await ask(kernel, job.label, step.port);
            else if (what == 't' && step.theirs != kNoPacket)
                job.fail(combine(job, step.theirs,
                                 co_await from_across(kernel, step.port, job.label, kOperand)));
        }
    }
    for (unsigned port = 0; job.status != Status::ok && port < kernel.ports(); ++port) {
        co_await say_void(kernel, job.label, port_at(port), kAsk);
        co_await say_void(kernel, job.label, port_at(port), kOperand);
    }
    if (job.warns(kernel.id() == job.pieces.root ? kNoPort : port_at(0)))
        co_await publish(kernel, job, 0);
    co_return job.status;
}

// Whole reductions --------------------------------------------------------------------------------

/// What the root publishes, everywhere else. A subtree by which nothing comes any more, or a void
/// piece, is not waited for again.
Task<Status> take_results(Kernel& kernel, const Reduction& job) {
    std::uint32_t lost = 0; // subtrees
    Status status = Status::ok;
    for (std::uint32_t number = 0; number < job.pieces.packets(); ++number) {
        const Path path = path_of(kernel, job.pieces, number);
        if ((lost >> path.subtree & 1u) != 0)
            continue;
        const Match match = job.label.match(kResult + number);
        const Awaited result = judged(co_await await_packet(kernel, job.pieces.root, match, path));
        status = worse(status, result.status);
        const auto piece = job.piece(number);
        if (result.status != Status::ok)
            lost |= 1u << path.subtree;
        else if (result.packet.payload().size() == piece.size())
            copy(result.packet.payload(), piece);
        else
            status = worse(status, Status::bad_argument);
    }
    co_return status;
}

/// The tree that a reduction climbs: structures for sending stand for the one they extend.
constexpr Rule one_way_up(Rule tree) {
    if (tree == Rule::sbg)
        return Rule::sbnt_minr;
    return tree == Rule::msbt_rot ? Rule::msbt : tree;
}

/// The job of a plan; status bad_argument or no_memory if it cannot be done here.
Reduction job_of(const Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer,
                 bool to_all) {
    const bool all_ports = kernel.job().ports == PortModel::all;
    Reduction job{cut(plan.total_bytes, plan.packet_bytes, plan.combiner),
                  kernel.calls().label(plan.tag),
                  plan.combiner,
                  buffer,
                  to_all,
                  to_all && all_ports};
    job.pieces.tree = one_way_up(named_tree(kernel.network(), plan.tree));
    job.pieces.root = plan.root;
    const Network network = kernel.network();
    job.subtrees = tree_rules(network.topology).subtree_count(network, job.pieces.tree);
    if (job.pieces.packet_bytes == 0 || buffer.size() < plan.total_bytes || job.subtrees == 0 ||
        index(plan.root) >= kernel.nodes()) {
        job.status = Status::bad_argument;
        return job;
    }
    if (!kernel.can_carry(Rule::unicast) || (to_all && !kernel.can_carry(job.pieces.tree)))
        job.status = Status::no_memory;
    job.by_steps = job.pieces.tree == Rule::msbt && !all_ports;
    const bool single = job.by_steps || network.topology == Topology::uhc;
    job.processes = single ? 1 : std::min<std::uint32_t>(job.subtrees, job.pieces.packets());
    return job;
}

std::uint32_t word_of(const Reduction& job) {
    return plan_word({static_cast<std::uint32_t>(job.pieces.tree), index(job.pieces.root),
                      job.pieces.total_bytes, job.pieces.packet_bytes, job.to_all});
}

Process climber(Kernel& kernel, Reduction& job, unsigned number) {
    if (job.by_steps)
        return climb_by_steps(kernel, job);
    return climb_subtree(kernel, job, number);
}

/// Whoever does not agree with a neighbour spawns its processes all the same: they tell the others.
Task<Status> run(Kernel& kernel, ReducePlan plan, std::span<std::byte> buffer, bool to_all) {
    Reduction job = job_of(kernel, plan, buffer, to_all);
    if (job.status == Status::no_memory)
        co_return job.status;
    const bool possible = job.status == Status::ok;
    Agreement agreement{kernel, job.label, word_of(job), job.status};
    job.fail(co_await agreement);
    if (!possible)
        co_return job.status;
    job.disagrees = job.status != Status::ok;
    if (to_all) { // nobody has a result before all have begun
        CallRecord& record = *kernel.calls().find(plan.tag);
        record.meet();
        record.add(job.publishes ? job.pieces.packets() : 0);
    }
    std::array<ProcessId, limits::kProcessesMax> ids;
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
        job.fail(co_await kernel.join(ids[number]));
    if (to_all && !job.publishes && (is_root || !job.disagrees))
        job.fail(co_await broadcast_within(kernel, job.label_of_results(), job.pieces, buffer,
                                           job.status));
    co_return job.status;
}

/// What a scan has missed so far: the first reason, and the ports that nothing comes by any more.
struct Missed {
    Status status = Status::ok;
    std::uint32_t absent = 0;

    void note(const Awaited& awaited, Port port) {
        status = worse(status, awaited.status);
        absent |= awaited.absent() ? 1u << index(port) : 0;
    }
    /// Nobody is waited for, or told anything, across `port`.
    bool skips(Port port) {
        const bool is_absent = (absent >> index(port) & 1u) != 0;
        if (is_absent)
            status = worse(status, Status::unreachable);
        return is_absent;
    }
};

/// `co_await give_total(...)`: sends our total of the nodes seen so far; void if it is not right.
auto give_total(Kernel& kernel, CallLabel label, Port port, std::span<const std::byte> total,
                Status so_far) {
    const bool nothing = so_far != Status::ok;
    return post_across(kernel, port, label, kOperand,
                       nothing ? wire::packet_flag::kVoid : std::uint8_t{0},
                       total.first(nothing ? 0 : total.size()));
}

/// The neighbour's total meets what this node has of a piece: `piece` and `total`, which is of the
/// subcube of the dimensions so far and begins with the nodes of lower addresses. `lower`: this
/// node is among them; `none`: nothing has come before it yet.
void combine_totals(const ScanPlan& plan, std::span<const std::byte> theirs,
                    std::span<std::byte> piece, std::span<std::byte> total, bool lower, bool none) {
    if (lower)
        return plan.combiner(total, theirs, total);
    if (none)
        copy(theirs, piece);
    else
        plan.combiner(theirs, piece, piece);
    plan.combiner(theirs, total, total);
}

std::uint32_t word_of(const BroadcastPlan& pieces, bool exclusive) {
    return plan_word({pieces.total_bytes, pieces.packet_bytes, exclusive});
}

/// With one port neither of a pair begins before both are there: a packet for a later dimension
/// must not come earlier.
Task<Status> scan_now(Kernel& kernel, ScanPlan plan, std::span<std::byte> buffer) {
    const BroadcastPlan pieces = cut(plan.total_bytes, plan.packet_bytes, plan.combiner);
    if (!kernel.can_carry(Rule::unicast))
        co_return Status::no_memory;
    const bool possible = pieces.packet_bytes != 0 && buffer.size() >= plan.total_bytes;
    const CallLabel label = kernel.calls().label(plan.tag);
    Agreement agreement{kernel, label, word_of(pieces, plan.exclusive),
                        possible ? Status::ok : Status::bad_argument};
    Missed missed;
    missed.status = co_await agreement;
    missed.absent = agreement.absent();
    if (!possible)
        co_return Status::bad_argument;
    if (kernel.network().topology != Topology::cube)
        co_return co_await scan_numbers(kernel, plan, pieces.cutting(), buffer, missed.status);
    const bool one_port = kernel.job().ports != PortModel::all;
    OutgoingPacket room = co_await kernel.allocate(Rule::unicast);
    for (std::uint32_t number = 0; number < pieces.packets(); ++number) {
        const auto piece = piece_of(buffer, pieces, number);
        const auto total = room.resize(piece.size());
        copy(piece, total);
        bool none_before = plan.exclusive;
        for (unsigned dim = 0; dim < kernel.ports(); ++dim) {
            const Port port = port_at(dim);
            if (missed.skips(port))
                continue;
            if (one_port) {
                co_await ask(kernel, label, port);
                missed.note(judged(co_await from_across(kernel, port, label, kAsk)), port);
            }
            co_await give_total(kernel, label, port, total, missed.status);
            if (missed.skips(port))
                continue;
            const Awaited theirs = judged(co_await from_across(kernel, port, label, kOperand));
            missed.note(theirs, port);
            if (missed.status == Status::ok && theirs.packet.payload().size() != total.size())
                missed.status = Status::bad_argument;
            if (missed.status != Status::ok)
                continue;
            const bool lower = ((index(kernel.id()) >> dim) & 1u) == 0;
            combine_totals(plan, theirs.packet.payload(), piece, total, lower, none_before);
            none_before = none_before && lower;
        }
    }
    co_return missed.status;
}

} // namespace

Task<Status> reduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer) {
    return as_call(kernel, plan.tag, run(kernel, plan, buffer, false));
}

Task<Status> allreduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer) {
    return as_call(kernel, plan.tag, run(kernel, plan, buffer, true));
}

Task<Status> scan(Kernel& kernel, const ScanPlan& plan, std::span<std::byte> buffer) {
    return as_call(kernel, plan.tag, scan_now(kernel, plan, buffer));
}

} // namespace mesh
