// Parts that all nodes take part in: collectives, a window, multicasts, agreements; and time-outs.
#include "parts.hpp"

#include "collectives/multicast.hpp"
#include "kernel/api/alt.hpp"
#include "library/agree.hpp"
#include "library/window.hpp"
#include "tests/kernel/call_sequence.hpp"

#include <algorithm>
#include <vector>

namespace mesh::soak {

using test::call_sequence::Kind;
using test::call_sequence::Lent;
using test::call_sequence::Step;
using test::call_sequence::Verdict;

// Collectives -------------------------------------------------------------------------------------

namespace {

Step drawn_step(const At& at, unsigned number) {
    constexpr std::array kKinds{Kind::barrier, Kind::broadcast, Kind::reduce, Kind::allreduce,
                                Kind::scan,    Kind::exchange,  Kind::group,  Kind::exchange};
    Dice dice = at.shared(number);
    Step step{.kind = kKinds[dice.below(kKinds.size())],
              .tag = static_cast<Tag>(at.tag() + dice.below(2)),
              .root = node_at(dice.below(at.node.nodes())),
              .bytes = 1 + dice.below(dice.one_in(2) ? 900 : 60),
              .packet_bytes = 16 + dice.below(100),
              .what = static_cast<Exchange>(dice.below(4)),
              .number = number};
    // Beside faults no more than a window of packets: nobody holds the root back whose words about
    // a broadcast were lost with a link that has come back.
    constexpr std::uint32_t kFewBytes = 60;
    if (step.kind == Kind::exchange)
        step.bytes = 1 + dice.below(kFewBytes);
    if (story->work().choice == Work::Choice::late) {
        step.tag = static_cast<Tag>(at.part); // the first ones: their calls may come early
        const bool first = number == 0 && floods_by_broadcasts(story->work());
        const unsigned window = at.node.pool().capacity() / limits::kTreeWindowShare;
        if (first || dice.one_in(4)) {
            step.kind = Kind::broadcast;
            step.bytes =
                step.packet_bytes * (first ? window - dice.below(3) : 1 + dice.below(window));
        }
    }
    if (at.may_miss)
        step.bytes = std::min(step.bytes, kFewBytes);
    return step;
}

} // namespace

Task<Status> collects(Kernel& node, At at) {
    std::array<Lent, 2> memories; // by turns: late copies come until the next call
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const Step step = drawn_step(at, round);
        Lent& memory = memories[round % 2] = {};
        const Verdict verdict = co_await test::call_sequence::do_step(node, step, &memory);
        at.expect(verdict.status != Status::ok || verdict.right, "data of a collective");
        if (!at.goes_on(verdict.status, "status of a collective"))
            co_return verdict.status;
    }
    co_return Status::ok;
}

// Windows -----------------------------------------------------------------------------------------

namespace {

constexpr WindowNumber kWindow{3};

/// True if the operation is known to have taken effect.
bool told(const At& at, Status status, NodeId target, const char* what) {
    if (status == Status::unreachable && story->ledger.may_be_closed(target))
        return false;
    return at.told(status, target, what);
}

/// Element 0 counts tickets; node i writes and reads element 1 + i.
Task<Status> accesses_one(Kernel& node, At at, NodeId target, std::uint32_t value, bool& all_ok) {
    const std::uint32_t mine = 1 + index(node.id());
    const std::uint32_t least = story->ledger.note_add_begun(target);
    const auto ticket = co_await fetch_add(node, std::uint32_t{1}, target, kWindow);
    if (told(at, ticket.status, target, "status of an addition"))
        at.expect(story->ledger.note_ticket(target, ticket.value, least),
                  "a ticket that was given twice, or before it was asked for");
    const Status wrote = co_await put(node, value, target, kWindow, mine);
    all_ok = told(at, wrote, target, "status of a put") && all_ok;
    const auto read = co_await get_value<std::uint32_t>(node, target, kWindow, mine);
    // An operation that was lost may take effect later, and who begins anew knows nothing.
    if (told(at, read.status, target, "status of a get") && all_ok && !story->ledger.is_odd(target))
        at.expect(read.value == value, "the value that was written");
    co_return Status::ok;
}

} // namespace

Task<Status> accesses(Kernel& node, At at) {
    const auto bytes = story->room((1 + node.nodes()) * sizeof(std::uint32_t));
    const std::span memory{reinterpret_cast<std::uint32_t*>(bytes.data()), 1 + node.nodes()};
    Window window{node, kWindow, memory};
    bool all_ok = true;
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        // Often all go to one node.
        const bool to_one = story->work().choice == Work::Choice::again && at.shared(502).one_in(2);
        Dice dice = to_one ? at.shared(503) : at.drawn(round);
        const NodeId target = node_at(dice.below(node.nodes()));
        const std::uint32_t value = round + 7 + 100 * story->world().life(index(node.id()));
        [[maybe_unused]] const Status done = co_await accesses_one(node, at, target, value, all_ok);
    }
    Status closed = Status::ok;
    if (at.is_first_life() && !at.ends_early())
        closed = co_await close(node, window);
    else
        window.end();
    if (closed != Status::ok)
        story->ledger.note_early_end(node.id());
    if (!at.goes_on(closed, "status of a window's end"))
        co_return closed;
    if (!story->ledger.is_odd(node.id()))
        at.expect(story->ledger.counted(node.id(), memory[0]), "tickets");
    co_return Status::ok;
}

// Multicasts, agreements, time-outs ---------------------------------------------------------------

namespace {

std::vector<NodeId> drawn_members(const At& at, unsigned round) {
    std::vector<NodeId> members;
    for (unsigned node = 0; node < at.node.nodes(); ++node)
        if (at.shared(round).one_in(2) == at.drawn(round, node).one_in(2))
            members.push_back(node_at(node));
    if (members.empty())
        members.push_back(node_at(round % at.node.nodes()));
    return members;
}

bool has(std::span<const NodeId> nodes, NodeId node) {
    return std::ranges::find(nodes, node) != nodes.end();
}

/// Who is missing was hit, or nobody knows.
void judge(const At& at, unsigned round, std::span<const NodeId> members, const Agreed& agreed) {
    const Ledger& ledger = story->ledger;
    for (const NodeId member : members)
        at.expect(has(agreed.left, member) || (at.may_miss && ledger.parted(at.node.id(), member)),
                  "members that are left");
    for (std::size_t rank = 0; rank < members.size(); ++rank)
        if (has(agreed.left, members[rank]))
            at.expect((agreed.flags >> index(members[rank]) % 32 & 1u) == 0,
                      "flags of who is left");
    story->ledger.note_agreed(at.node.id(), at.part, round, agreed.flags, agreed.left);
}

} // namespace

Task<Status> multicasts(Kernel& node, At at) {
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const std::vector<NodeId> members = drawn_members(at, round);
        const NodeId root = node_at(at.shared(round + 100).below(node.nodes()));
        std::array<std::byte, 50> bytes{};
        if (node.id() == root)
            bytes.fill(std::byte(round + 1));
        const Status status =
            co_await multicast(node, {.members = members, .root = root, .tag = at.tag()}, bytes);
        if (!at.goes_on(status, "status of a multicast"))
            co_return status;
        const bool gets = has(members, node.id()) || node.id() == root;
        at.expect(status != Status::ok || bytes[7] == (gets ? std::byte(round + 1) : std::byte{}),
                  "bytes of a multicast");
    }
    co_return Status::ok;
}

Task<Status> agrees(Kernel& node, At at) {
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const std::vector<NodeId> members = drawn_members(at, round);
        if (!has(members, node.id()))
            continue;
        std::vector<NodeId> room(members.size());
        const Agreed agreed =
            co_await agree(node, Group{node, members, static_cast<Tag>(at.tag() + round % 8)},
                           ~(1u << index(node.id()) % 32), room);
        if (!at.goes_on(agreed.status, "status of an agreement"))
            co_return agreed.status;
        if (agreed.status == Status::ok)
            judge(at, round, members, agreed);
    }
    co_return Status::ok;
}

// Of a tag that nobody sends.
Task<Status> times_out(Kernel& node, At at) {
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const Match never{.service = Service::message, .tag = static_cast<Tag>(at.tag() + 9)};
        const unsigned which = co_await alt(
            node, on(never), after(node, at.drawn(round).below(40) * wire::kTicksPerUnit));
        at.expect(which == 1, "a message that nobody has sent");
    }
    co_return Status::ok;
}

} // namespace mesh::soak
