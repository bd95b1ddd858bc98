// tireless: node 0 hands out numbers and adds up their squares, whatever happens to the workers,
// which reset themselves at any point. Words: how many numbers, in how many of 100 steps a worker
// is reset, a seed.
#include "meshputer.hpp"

#include <algorithm>
#include <array>

using namespace mesh;

namespace {

constexpr NodeId kRoot{0};
constexpr std::uint32_t kNone = ~0u;
constexpr unsigned kLives = 12;
constexpr Tag kAsks{1}, kGets{2};

struct Asks {
    std::uint32_t life, number, square; // what this life has done last, or kNone
    bool ends;
};
struct Gets {
    std::uint32_t life, number; // for that life only; kNone: there is no more
};

struct Dice {
    std::uint32_t state;
    std::uint32_t roll() { return (state = state * 1664525u + 1013904223u) >> 8; }
};

/// Perhaps the end of this life.
Process step(Kernel& node, Dice& dice) {
    if (dice.roll() % 100 < word(node, 1, 10u) && node.starts() < kLives) {
        co_await node.sleep(dice.roll() % 5 * wire::kTicksPerUnit);
        reset_node();
    }
    co_return Status::ok;
}

/// Nodes on the way may be reset as well, after node 0 has taken it, too. So at the end it is not
/// known whether node 0 waits for the last one: it does not if it takes no more.
Process ask(Kernel& node, const Asks& asks) {
    for (unsigned tries = 0; co_await send_value(node, asks, kRoot, kAsks) != Status::ok; ++tries) {
        if (asks.ends && tries == 20)
            co_return Status::ok;
        co_await node.sleep(wire::ModelTime{wire::kTicksPerUnit} << std::min(tries, 11u));
    }
    co_return Status::ok;
}

Process worker(Kernel& node) {
    may_begin_again(node);
    Dice dice{index(node.id()) * 7919u + node.starts() * 104729u + word(node, 2, 1u)};
    Asks asks{node.starts(), kNone, 0, false};
    Status status = Status::ok;
    while (status == Status::ok && !asks.ends) {
        if (status = co_await step(node, dice); status == Status::ok)
            status = co_await ask(node, asks);
        if (status == Status::ok)
            status = co_await step(node, dice);
        Gets gets{kNone, kNone};
        while (status == Status::ok && gets.life != node.starts())
            if ((co_await receive_value(node, gets, kRoot, kGets)).status != Status::ok)
                status = co_await ask(node, asks); // the answer may be lost
        asks = {node.starts(), gets.number, gets.number * gets.number, gets.number == kNone};
    }
    if (status == Status::ok)
        status = co_await ask(node, asks);
    co_return status;
}

struct Farm {
    std::uint32_t numbers, left = numbers, next = 0, sum = 0;
    std::uint32_t ended = 1, answers = 0; // workers, and node 0; answers under way
    std::array<bool, 1024> done{};
    std::array<std::uint32_t, 64> life{}; // of the worker, when it last asked

    std::uint32_t next_number() {
        while (left != 0)
            if (const std::uint32_t number = next++ % numbers; !done[number])
                return number;
        return kNone;
    }
    void take(const Asks& asks) {
        if (asks.number == kNone || done[asks.number])
            return;
        done[asks.number] = true;
        sum += asks.square;
        --left;
    }
};

/// A process of its own: a worker in a new life asks before it takes what was for the life before.
Process answer(Kernel& node, Farm* farm, NodeId who, Gets gets) {
    for (;;) { // not while (co_await ...): GCC 12.2 wants a variable, see task.hpp
        const Status sent = co_await send_value(node, gets, who, kGets);
        if (sent == Status::ok || farm->life[index(who)] != gets.life)
            break;
        co_await node.sleep(wire::kTicksPerUnit);
    }
    --farm->answers;
    co_return Status::ok;
}

} // namespace

Process app_main(Kernel& node) {
    if (node.id() != kRoot)
        co_return co_await worker(node);
    Farm farm{.numbers = word(node, 0, 100u)};
    for (;;) {
        co_await node.wait_until([&] {
            return probe(node, kAnySource, kAsks) ||
                   (farm.ended == node.nodes() && farm.answers == 0);
        });
        if (!probe(node, kAnySource, kAsks))
            break;
        Asks asks{};
        const Received got = co_await receive_value(node, asks, kAnySource, kAsks);
        if (got.status != Status::ok)
            co_return got.status;
        farm.take(asks);
        std::uint32_t& life = farm.life[index(got.source)];
        if (life == kNone) // it has ended: this one was taken late
            continue;
        life = asks.ends ? kNone : asks.life;
        if (asks.ends) {
            ++farm.ended;
            continue;
        }
        ++farm.answers;
        if (!node.spawn_alone(answer(node, &farm, got.source, {asks.life, farm.next_number()})))
            co_return Status::no_memory;
    }
    print("the sum of {} squares is {}\n", farm.numbers, farm.sum);
    co_return Status::ok;
}
