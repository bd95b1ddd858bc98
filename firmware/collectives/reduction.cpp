#include "collectives/reduction.hpp"

#include "collectives/await.hpp"
#include "core/cube/timetable.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mesh {

namespace {

// Pieces and packets ------------------------------------------------------------------------------

using Combine = decltype(Combiner::combine);

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

/// Sends `packet` across `port` to the neighbour.
void send_across(Kernel& kernel, Port port, OutgoingPacket packet, Tag tag, std::uint32_t says) {
    packet.header().destination = kernel.neighbor(port);
    packet.header().tag = tag;
    packet.header().message = says;
    kernel.inject(std::move(packet));
}

/// `Awaited a = judged(co_await from_across(...))`: the neighbour's next packet that says this.
Task<Packet> from_across(Kernel& kernel, Port port, Tag tag, std::uint32_t says) {
    return await_packet(kernel, kernel.neighbor(port), {.tag = tag, .message = says});
}

/// Asks the neighbours across `ports` for an operand each. `plan`: see Reduction::plan_word().
Task<Status> ask(Kernel& kernel, Tag tag, std::uint32_t plan, std::span<const Port> ports) {
    for (const Port port : ports) {
        OutgoingPacket packet = co_await kernel.allocate(Rule::unicast);
        packet.header().flags = wire::packet_flag::kTimeless;
        packet.header().total_bytes = plan;
        send_across(kernel, port, std::move(packet), tag, kAsk);
    }
    co_return Status::ok;
}

// A reduction under way ---------------------------------------------------------------------------

struct Reduction {
    BroadcastPlan pieces;
    Combine combine;
    std::span<std::byte> buffer;
    bool publishes;        // at the root, each piece of the result at once
    bool by_steps = false; // one process for all subtrees; else one for each
    unsigned processes = 0;
    Status status = Status::ok; // once it is not, all processes of the job end

    /// Keeps the first status that is not ok.
    void fail(Status with) { status = worse(status, with); }

    /// Says the plan, in the header's field for a message's size: whoever has another one sees it.
    std::uint32_t plan_word() const {
        return pieces.total_bytes ^ (std::uint32_t{pieces.packet_bytes} << 8) ^
               (index(pieces.root) << 4) ^ (static_cast<std::uint32_t>(pieces.tree) << 24);
    }
    std::span<std::byte> piece(std::uint32_t number) const {
        return piece_of(buffer, pieces, number);
    }
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

/// Combines the neighbour's operand into ours.
Task<Status> take(Kernel& kernel, const Reduction& job, Port port, std::uint32_t number) {
    const Awaited theirs = judged(co_await from_across(kernel, port, job.pieces.tag, kOperand));
    if (theirs.status != Status::ok)
        co_return theirs.status;
    const auto piece = job.piece(number);
    const wire::PacketHeader& header = theirs.packet.header();
    if (theirs.packet.payload().size() != piece.size() || header.total_bytes != job.plan_word() ||
        header.position != number)
        co_return Status::bad_argument;
    job.combine(piece, theirs.packet.payload(), piece);
    co_return Status::ok;
}

/// Sends our operand to the neighbour, when it asks.
Task<Status> give(Kernel& kernel, const Reduction& job, Port port, std::uint32_t number) {
    const Awaited asked = judged(co_await from_across(kernel, port, job.pieces.tag, kAsk));
    if (asked.status != Status::ok)
        co_return asked.status;
    if (asked.packet.header().total_bytes != job.plan_word())
        co_return Status::bad_argument;
    OutgoingPacket packet = co_await kernel.allocate(Rule::unicast);
    packet.header().position = number;
    packet.header().total_bytes = job.plan_word();
    const auto piece = job.piece(number);
    copy(piece, packet.resize(piece.size()));
    send_across(kernel, port, std::move(packet), job.pieces.tag, kOperand);
    if (kernel.job().ports == PortModel::half) // asks for nothing before this has left
        kernel.advance_clock(kernel.now() + kernel.link_time(job.pieces.bytes_of(number)));
    co_return Status::ok;
}

/// This node has missed something: whoever waits for an operand or a question of it across `port`
/// is told so, once. What it says then is void.
Task<Status> say_void(Kernel& kernel, Tag tag, Port port, std::uint32_t says) {
    OutgoingPacket packet = co_await kernel.allocate(Rule::unicast);
    packet.header().flags = wire::packet_flag::kVoid | wire::packet_flag::kTimeless;
    send_across(kernel, port, std::move(packet), tag, says);
    co_return Status::ok;
}

/// The root has a piece of the result; void if it has missed something.
Task<Status> publish(Kernel& kernel, const Reduction& job, std::uint32_t number) {
    OutgoingPacket packet = co_await kernel.allocate(job.pieces.tree);
    packet.header().subtree = path_of(kernel, job.pieces, number).subtree;
    packet.header().tag = job.pieces.tag;
    packet.header().message = kResult + number;
    packet.header().position = number * job.pieces.packet_bytes;
    packet.header().total_bytes = job.plan_word();
    if (job.status == Status::ok) {
        const auto piece = job.piece(number);
        copy(piece, packet.resize(piece.size()));
    } else {
        packet.header().flags = wire::packet_flag::kVoid;
    }
    kernel.inject(std::move(packet));
    co_return Status::ok;
}

/// One piece on its way up. `in_turn`: no child has been asked for it yet.
Task<Status> climb(Kernel& kernel, const Reduction& job, const Place& place, std::uint32_t number,
                   bool in_turn) {
    Status status = Status::ok;
    for (unsigned child = 0; child < place.count; ++child) {
        const auto only = place.children().subspan(child, 1);
        if (in_turn)
            status = co_await ask(kernel, job.pieces.tag, job.plan_word(), only);
        if (status == Status::ok)
            status = co_await take(kernel, job, only.front(), number);
        if (status != Status::ok)
            co_return status;
    }
    if (place.parent != kNoPort)
        status = co_await give(kernel, job, place.parent, number);
    else if (job.publishes)
        status = co_await publish(kernel, job, number);
    co_return status;
}

/// Piece `number` of one subtree will not come: its neighbours there must not wait, nor those who
/// wait for results, one of each of their subtrees.
Task<Status> give_up(Kernel& kernel, const Reduction& job, const Place& place,
                     std::uint32_t number) {
    Status status = Status::ok;
    if (place.parent != kNoPort)
        status = co_await say_void(kernel, job.pieces.tag, place.parent, kOperand);
    for (const Port child : place.children())
        status = worse(status, co_await say_void(kernel, job.pieces.tag, child, kAsk));
    const Network network = kernel.network();
    unsigned trees = tree_rules(network.topology).subtree_count(network, job.pieces.tree);
    if (place.parent == kNoPort && job.publishes)
        for (; trees != 0 && number < job.pieces.packets(); --trees, number += job.processes)
            status = worse(status, co_await publish(kernel, job, number));
    co_return status;
}

/// All pieces of one subtree, one after the other. Children that cannot be in each other's way are
/// asked one piece ahead: a question cannot overtake what went before it on its cable. On the UHC
/// it goes round by three links, each with operands before it: three ahead, and in turn would be
/// slow.
Process climb_subtree(Kernel& kernel, Reduction& job, unsigned subtree) {
    const Place place = place_in(kernel, job.pieces, subtree);
    const PortModel ports = kernel.job().ports;
    const bool detour = kernel.network().topology == Topology::uhc;
    const std::uint32_t ahead = job.processes * (detour ? 3 : 1);
    const bool in_turn =
        !detour && (ports == PortModel::half || (ports == PortModel::duplex && place.count > 1));
    const std::uint32_t end = job.pieces.packets();
    std::uint32_t asked = subtree;
    std::uint32_t number = subtree;
    for (; number < end && job.status == Status::ok; number += job.processes) {
        for (; !in_turn && asked < end && asked <= number + ahead; asked += job.processes)
            job.fail(co_await ask(kernel, job.pieces.tag, job.plan_word(), place.children()));
        const Status climbed = co_await climb(kernel, job, place, number, in_turn);
        job.fail(climbed);
        if (climbed != Status::ok)
            break; // else this piece is through, and the next one will not be
    }
    if (job.status != Status::ok)
        job.fail(co_await give_up(kernel, job, place, number));
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

/// What a node does in one step: the packet `ours` goes across `port`, `theirs` comes. Under half
/// the side with the bit clear gives first.
struct Step {
    Port port;
    std::uint32_t ours, theirs;
    bool gives_first, gives_last;
};

Step step_of(const Kernel& kernel, const BroadcastPlan& plan, std::uint32_t number) {
    const Hypercube cube{kernel.network().dim};
    const Port port = port_at(number % cube.dim);
    const Relative place = relative_address(kernel.id(), plan.root);
    const Relative peer = relative_address(cube.neighbor(kernel.id(), port), plan.root);
    const bool half = kernel.job().ports == PortModel::half;
    return {port, packet_of_step(cube, peer, port, number, plan.packets()),
            packet_of_step(cube, place, port, number, plan.packets()),
            half && index(place) < index(peer), half && index(place) > index(peer)};
}

Task<Status> exchange(Kernel& kernel, const Reduction& job, const Step& step) {
    const bool takes = step.theirs != kNoPacket;
    const std::span<const Port> only{&step.port, 1};
    Status status = Status::ok;
    if (takes && !step.gives_first)
        status = co_await ask(kernel, job.pieces.tag, job.plan_word(), only);
    if (takes && step.gives_last && status == Status::ok)
        status = co_await take(kernel, job, step.port, step.theirs);
    if (step.ours != kNoPacket && status == Status::ok)
        status = co_await give(kernel, job, step.port, step.ours);
    if (takes && step.gives_first && status == Status::ok)
        status = co_await ask(kernel, job.pieces.tag, job.plan_word(), only);
    if (takes && !step.gives_last && status == Status::ok)
        status = co_await take(kernel, job, step.port, step.theirs);
    co_return status;
}

/// All pieces of all subtrees: the steps of the broadcast from the last to the first. In each of
/// them every node exchanges with its neighbour across the same dimension.
Process climb_by_steps(Kernel& kernel, Reduction& job) {
    const std::uint32_t steps = job.pieces.packets() + kernel.network().dim;
    for (std::uint32_t number = steps; number-- > 0 && job.status == Status::ok;) {
        const Step step = step_of(kernel, job.pieces, number);
        job.fail(co_await exchange(kernel, job, step));
    }
    for (unsigned port = 0; job.status != Status::ok && port < kernel.ports(); ++port) {
        job.fail(co_await say_void(kernel, job.pieces.tag, port_at(port), kAsk));
        job.fail(co_await say_void(kernel, job.pieces.tag, port_at(port), kOperand));
    }
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
        const Match match{.tag = job.pieces.tag, .message = kResult + number};
        const Awaited result = judged(co_await await_packet(kernel, job.pieces.root, match, path));
        status = worse(status, result.status);
        const auto piece = job.piece(number);
        if (result.status != Status::ok)
            lost |= 1u << path.subtree;
        else if (result.packet.payload().size() == piece.size() &&
                 result.packet.header().total_bytes == job.plan_word())
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
    Reduction job{cut(plan.total_bytes, plan.packet_bytes, plan.combiner), plan.combiner.combine,
                  buffer, to_all && all_ports};
    job.pieces.tree = one_way_up(plan.tree);
    job.pieces.root = plan.root;
    job.pieces.tag = plan.tag;
    const Network network = kernel.network();
    const unsigned subtrees = tree_rules(network.topology).subtree_count(network, job.pieces.tree);
    if (job.pieces.packet_bytes == 0 || buffer.size() < plan.total_bytes || subtrees == 0 ||
        index(plan.root) >= kernel.nodes()) {
        job.status = Status::bad_argument;
        return job;
    }
    if (!kernel.can_carry(Rule::unicast) || (to_all && !kernel.can_carry(job.pieces.tree)))
        job.status = Status::no_memory;
    job.by_steps = job.pieces.tree == Rule::msbt && !all_ports;
    const bool single = job.by_steps || network.topology == Topology::uhc;
    job.processes = single ? 1 : std::min<std::uint32_t>(subtrees, job.pieces.packets());
    return job;
}

Process climber(Kernel& kernel, Reduction& job, unsigned number) {
    if (job.by_steps)
        return climb_by_steps(kernel, job);
    return climb_subtree(kernel, job, number);
}

Task<Status> run(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer, bool to_all) {
    Reduction job = job_of(kernel, plan, buffer, to_all);
    std::array<ProcessId, limits::kProcessesMax> ids;
    unsigned spawned = 0;
    while (spawned < job.processes && job.status == Status::ok) {
        if (spawned < ids.size() && kernel.spawn(climber(kernel, job, spawned), ids[spawned]))
            ++spawned;
        else
            job.status = Status::no_memory;
    }
    if (job.publishes && kernel.id() != plan.root && job.status == Status::ok)
        job.fail(co_await take_results(kernel, job));
    for (unsigned number = 0; number < spawned; ++number)
        job.fail(co_await kernel.join(ids[number]));
    if (to_all && !job.publishes) {
        ++job.pieces.tag; // what comes next under the old one could overtake the last of these
        job.fail(co_await broadcast(kernel, job.pieces, buffer, job.status));
    }
    co_return job.status;
}

/// What a scan has missed so far: the first reason, and the ports that nothing comes by any more.
struct Missed {
    Status status = Status::ok;
    std::uint32_t absent = 0;
};

/// Sends our total of the nodes seen so far across `port` and takes the neighbour's; no packet if
/// there is none to be had. With one port neither begins before both are there: a packet for a
/// later dimension must not come earlier.
Task<Packet> swap_totals(Kernel& kernel, Tag tag, Port port, std::span<const std::byte> total,
                         Missed& missed) {
    const std::uint32_t bit = 1u << index(port);
    if (kernel.job().ports != PortModel::all) {
        const std::span<const Port> only{&port, 1};
        missed.status = worse(missed.status, co_await ask(kernel, tag, 0, only));
        if ((missed.absent & bit) == 0) {
            const Awaited asked = judged(co_await from_across(kernel, port, tag, kAsk));
            missed.status = worse(missed.status, asked.status);
            missed.absent |= asked.absent() ? bit : 0;
        }
    }
    OutgoingPacket ours = co_await kernel.allocate(Rule::unicast);
    if (missed.status == Status::ok)
        copy(total, ours.resize(total.size()));
    else
        ours.header().flags = wire::packet_flag::kVoid;
    send_across(kernel, port, std::move(ours), tag, kOperand);
    Awaited theirs{Status::unreachable};
    if ((missed.absent & bit) == 0)
        theirs = judged(co_await from_across(kernel, port, tag, kOperand));
    missed.status = worse(missed.status, theirs.status);
    missed.absent |= theirs.absent() ? bit : 0;
    if (missed.status == Status::ok && theirs.packet.payload().size() != total.size())
        missed.status = Status::bad_argument;
    co_return std::move(theirs.packet);
}

/// The scan of one piece. `total`: of the subcube of the dimensions so far, which the nodes with
/// lower addresses begin.
Task<Status> scan_piece(Kernel& kernel, const ScanPlan& plan, std::span<std::byte> piece,
                        Missed& missed) {
    OutgoingPacket room = co_await kernel.allocate(Rule::unicast);
    const auto total = room.resize(piece.size());
    copy(piece, total);
    bool none_before = plan.exclusive;
    for (unsigned port = 0; port < kernel.ports(); ++port) {
        Packet packet = co_await swap_totals(kernel, plan.tag, port_at(port), total, missed);
        missed.status = worse(missed.status, packet.status());
        if (missed.status != Status::ok)
            continue;
        const auto theirs = packet.payload();
        if (((index(kernel.id()) >> port) & 1u) == 0) {
            plan.combiner.combine(total, theirs, total);
            continue;
        }
        if (none_before)
            copy(theirs, piece);
        else
            plan.combiner.combine(theirs, piece, piece);
        none_before = false;
        plan.combiner.combine(theirs, total, total);
    }
    co_return missed.status;
}

} // namespace

Task<Status> reduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer) {
    return run(kernel, plan, buffer, false);
}

Task<Status> allreduce(Kernel& kernel, const ReducePlan& plan, std::span<std::byte> buffer) {
    return run(kernel, plan, buffer, true);
}

Task<Status> scan(Kernel& kernel, const ScanPlan& plan, std::span<std::byte> buffer) {
    const BroadcastPlan pieces = cut(plan.total_bytes, plan.packet_bytes, plan.combiner);
    if (pieces.packet_bytes == 0 || buffer.size() < plan.total_bytes ||
        kernel.network().topology != Topology::cube)
        co_return Status::bad_argument;
    if (!kernel.can_carry(Rule::unicast))
        co_return Status::no_memory;
    Missed missed;
    for (std::uint32_t number = 0; number < pieces.packets(); ++number)
        missed.status =
            worse(missed.status,
                  co_await scan_piece(kernel, plan, piece_of(buffer, pieces, number), missed));
    co_return missed.status;
}

} // namespace mesh
