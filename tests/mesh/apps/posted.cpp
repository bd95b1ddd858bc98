// Calls that do not wait: requests and an outbox. Each line must be the same on all engines,
// networks and nodes; word 0 says which part runs.
#include "meshputer.hpp"
using namespace mesh;

namespace {

constexpr Tag kOdd = 7, kEven = 8, kStop = 9;

NodeId behind(const Kernel& node, unsigned steps) {
    return node_at((index(node.id()) + steps) % node.nodes());
}

/// Receives of one kind take messages in the order in which they were called, also when one is
/// called again while an older one is open.
Process receives_in_order(Kernel& node) {
    const NodeId right = behind(node, 1), left = behind(node, node.nodes() - 1);
    std::array<Request, 3> in;
    std::array<unsigned, 3> values{};
    for (unsigned at = 0; at < 3; ++at)
        in[at] = Request{node, receive_value(node, values[at], kOdd, left)};
    Outbox out{node, node.workspace()};
    Status all = Status::ok;
    for (unsigned number = 0; number < 9; ++number) {
        const Status put = co_await out.put(number, right, kOdd);
        all = first_failure(all, put);
    }
    std::array<unsigned, 9> order{};
    for (unsigned at = 0; at < 9; ++at) {
        const Status got = co_await wait(node, in[at % 3]);
        all = first_failure(all, got);
        order[at] = values[at % 3];
        if (at < 6)
            in[at % 3] = Request{node, receive_value(node, values[at % 3], kOdd, left)};
    }
    const Status flushed = co_await out.flush();
    bool right_order = true;
    for (unsigned at = 0; at < 9; ++at)
        right_order = right_order && order[at] == at;
    print("in order {} {} {}\n", right_order, all, flushed);
    co_return right_order ? all : Status::failed;
}

/// Each request keeps what its receive gave; wait_any() and test() take one after the other.
Process statuses_of_each(Kernel& node) {
    const NodeId right = behind(node, 1), left = behind(node, node.nodes() - 1);
    unsigned odd = 0, even = 0, shorter = 0;
    std::array<std::byte, 2> small{};
    std::array<Request, 4> in;
    in[0] = Request{node, receive_value(node, odd, kOdd)};
    in[1] = Request{node, receive_value(node, even, kEven, left)};
    in[2] = Request{node, receive(node, small, kStop, left)};
    in[3] = Request{node, receive_value(node, shorter, 5, node_at(node.nodes()))}; // no such node
    Request out{node, send_value(node, right, 1u, kOdd)};
    std::array<Request, 2> more{Request{node, send_value(node, right, 2u, kEven)},
                                Request{node, send_value(node, right, 3u, kStop)}};
    Request moved = std::move(in[0]);
    const Status first = co_await wait(node, moved);
    const AnyWaited bad = co_await wait_any(node, std::span{in}.subspan(3));
    const Status rest = co_await wait_all(node, in);
    while (!out.done())
        if (const auto sent = out.test(); !sent)
            co_await node.yield();
    const Status sends = co_await wait_all(node, more);
    print("moved {} {} from left {} tag {}\n", first, odd, moved.received().source == left,
          moved.received().tag);
    print("bad {} {}, all {}: {} {} {}, {} bytes\n", bad.which, bad.status, rest, in[1].status(),
          even, in[2].status(), in[2].received().bytes);
    print("sends {} {}\n", out.status(), sends);
    std::array<Request, 2> none;
    const AnyWaited nothing = co_await wait_any(node, none);
    const Status idle = co_await wait_all(node, none);
    print("none {} {} {}\n", nothing.which, nothing.status, idle);
    co_return odd == 1 && even == 2 ? Status::ok : Status::failed;
}

/// A collective and an exchange beside each other, and more processes than sixteen.
Process many_at_a_time(Kernel& node) {
    const NodeId right = behind(node, 1), left = behind(node, node.nodes() - 1);
    std::array<unsigned, 12> in{};
    std::array<Request, 25> all;
    unsigned sum = 1;
    all[24] = Request{node, allreduce_value(node, sum)};
    for (unsigned at = 0; at < 12; ++at) {
        const Tag tag = static_cast<Tag>(100 + at);
        all[at] = Request{node, receive_value(node, in[at], tag, left)};
        all[12 + at] = Request{node, send_value(node, right, at * at, tag)};
    }
    const Status status = co_await wait_all(node, all);
    print("many {} {} {}\n", status, in[11], sum == node.nodes());
    co_return status;
}

/// Nobody takes what node 0 sends to node 1 until the others have all of theirs.
Process who_does_not_take_holds_back_nobody(Kernel& node) {
    Status status = Status::ok;
    if (index(node.id()) == 0) {
        Outbox out{node, node.workspace()};
        for (unsigned number = 0; number < 20; ++number)
            for (unsigned to = 1; to < node.nodes(); ++to)
                if (status == Status::ok)
                    status = co_await out.put(number, node_at(to), kEven);
        const Status flushed = co_await out.flush();
        co_return first_failure(status, flushed);
    }
    if (index(node.id()) == 1)
        for (unsigned other = 2; other < node.nodes(); ++other)
            std::ignore = co_await receive(node, {}, kStop);
    for (unsigned number = 0, got = 0; number < 20 && status == Status::ok; ++number) {
        const Received taken = co_await receive_value(node, got, kEven, NodeId{0});
        status = got == number ? taken.status : Status::failed;
    }
    if (index(node.id()) > 1 && status == Status::ok)
        status = co_await send(node, NodeId{1}, {.tag = kStop}, {});
    print("took all {}\n", status);
    co_return status;
}

Process take_numbers(Kernel& node, NodeId from, unsigned count) {
    Status all = Status::ok;
    for (unsigned number = 0, got = 0; number < count && all == Status::ok; ++number) {
        const Received taken = co_await receive_value(node, got, kOdd, from);
        all = got == number ? taken.status : Status::failed;
    }
    co_return all;
}

/// A small outbox waits for room and for nothing else; what can never be sent is refused.
Process room(Kernel& node) {
    std::array<std::byte, 2 * (Outbox::kOverheadBytes + 8)> memory{};
    Outbox out{node, memory};
    const NodeId right = behind(node, 1), left = behind(node, node.nodes() - 1);
    const auto far = out.try_put(1u, node_at(node.nodes()), kOdd);
    const auto any = out.try_put(1u, right, kAnyTag);
    const auto large = out.try_put(std::as_bytes(std::span{memory}), right, kOdd);
    unsigned put = 0;
    while (put < 20 && out.try_put(put, right, kOdd) == Status::ok)
        ++put;
    Request beside{node, take_numbers(node, left, 40)};
    Status status = Status::ok;
    for (unsigned number = put; number < 40 && status == Status::ok; ++number)
        status = co_await out.put(number, right, kOdd);
    const Status flushed = co_await out.flush();
    const Status taken = co_await wait(node, beside);
    print("room {} {} {} {} {} {} {}\n", far, any, large, put >= 2 && put < 20, status, flushed,
          taken);
    co_return first_failure(first_failure(status, flushed), taken);
}

/// An outbox that goes while something is under way fails its program.
Process forgets(Kernel& node) {
    Outbox out{node, node.workspace()};
    co_return co_await out.put(1u, behind(node, 1), kOdd);
}

/// A message that cannot arrive: flush() says so.
Process to_who_has_ended(Kernel& node) {
    if (index(node.id()) != 0)
        co_return Status::ok;
    Outbox out{node, node.workspace()};
    const Status put = co_await out.put(1u, NodeId{1}, kOdd);
    const Status flushed = co_await out.flush();
    const Status again = co_await out.flush();
    print("ended {} {} {}\n", put, flushed, again);
    co_return again;
}

Process waits_for_ever(Kernel& node) {
    Outbox out{node, node.workspace()};
    if (index(node.id()) == 0)
        std::ignore = co_await out.put(1u, NodeId{1}, kOdd);
    if (index(node.id()) == 1)
        std::ignore = co_await receive(node, {}, kEven, NodeId{0});
    co_return co_await out.flush();
}

/// Node 0 has not heard that its message could not arrive when all wait for ever.
Process does_not_ask(Kernel& node) {
    if (index(node.id()) == 1)
        co_return Status::ok;
    Outbox out{node, node.workspace()};
    if (index(node.id()) == 0)
        std::ignore = co_await out.put(1u, NodeId{1}, kOdd);
    const Received never = co_await receive(node, {}, kEven);
    co_return never.status;
}

Process overwrites(Kernel& node) {
    Request request{node, receive(node, {}, kOdd)};
    request = Request{node, receive(node, {}, kEven)};
    co_return Status::ok;
}

} // namespace

Process app_main(Kernel& node) {
    switch (word<unsigned>(node, 0, 0)) {
    case 1: co_return co_await forgets(node);
    case 2: co_return co_await to_who_has_ended(node);
    case 3: co_return co_await waits_for_ever(node);
    case 4: co_return co_await overwrites(node);
    case 5: co_return co_await does_not_ask(node);
    default: break;
    }
    Status all = co_await receives_in_order(node);
    const std::array parts{statuses_of_each, many_at_a_time, who_does_not_take_holds_back_nobody,
                           room};
    for (const auto part : parts) {
        const Status status = co_await part(node);
        all = first_failure(all, status);
        const Status met = co_await barrier(node);
        all = first_failure(all, met);
    }
    co_return all;
}
