// Instructions of what the five scheduler tests of Thread-Metric do, with what this kernel has for
// it; the functions are its own. A round is one count of a test's counter.
//
//   cooperative: five processes give way to each other in turn
//   preemptive: a chain of five, each of which wakes the next and waits until it is woken again;
//   all
//     but the first are high, so the first goes on when all others wait. None is interrupted
//   message: four words go into a queue and come out of it again: here from one process to another
//   synchronization: a semaphore is taken and given back by one process
//   memory: a block of 128 bytes is taken and given back
#include "kernel/processes/arena.hpp"
#include "meshputer.hpp"
#include "tests/bench/instructions/counter.hpp"
#include "tests/target/lone_node.hpp"
#include "tests/target/suite.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

using namespace mesh;

namespace {

constexpr unsigned kWarm = 10, kRounds = 100;
constexpr unsigned kProcesses = 5;
constexpr std::size_t kBlockBytes = 128;

struct Words {
    std::array<std::uint32_t, 4> words;
};

/// Instructions of all rounds that count.
struct Sums {
    std::uint32_t cooperative = 0;
    std::uint32_t preemptive = 0;
    std::uint32_t message = 0;
    std::uint32_t synchronization = 0;
    std::uint32_t memory = 0;
    bool right = true; // nothing was lost, and turns came in order
    bool ended = false;
};
Sums sums;
bench::Meter* meter = nullptr;

/// Lets the first rounds pass, then measures to the end.
void count_round(unsigned round, std::uint32_t& sum) {
    if (round == kWarm) {
        meter->clear();
        meter->resume();
    } else if (round == kWarm + kRounds) {
        meter->pause();
        sum = meter->instructions();
    }
}

// Cooperative ------------------------------------------------------------------------------------

std::array<unsigned, kProcesses> turns;

Process gives_way(Kernel& node, unsigned self) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        if (self == 0)
            count_round(round, sums.cooperative);
        ++turns[self];
        sums.right = sums.right && turns[self] <= turns[0];
        co_await node.yield();
    }
    co_return Status::ok;
}

// Preemptive -------------------------------------------------------------------------------------

using Wake = Channel<unsigned>;

/// Passes on what wakes it; the last one tells that it has come.
Process in_chain(Kernel&, Wake& woken, Wake* next, unsigned& come) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        const unsigned number = co_await woken.read();
        if (next != nullptr)
            co_await next->write(number);
        else
            come = number;
    }
    co_return Status::ok;
}

Process begins_chain(Kernel&, Wake& next, const unsigned& come) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        count_round(round, sums.preemptive);
        co_await next.write(round);
        sums.right = sums.right && come == round;
    }
    co_return Status::ok;
}

// Message ----------------------------------------------------------------------------------------

Process sends_words(Kernel&, Channel<Words>& out) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round)
        co_await out.write({{round, round + 1, round + 2, round + 3}});
    co_return Status::ok;
}

Process takes_words(Kernel&, Channel<Words>& in) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        count_round(round, sums.message);
        const Words got = co_await in.read();
        sums.right = sums.right && got.words[0] == round && got.words[3] == round + 3;
    }
    co_return Status::ok;
}

// Synchronization, memory
// --------------------------------------------------------------------------

/// What a program writes that needs one: nothing interrupts a process between two waits.
class Semaphore {
public:
    Semaphore(Kernel& node, unsigned count) : node_(node), count_(count) {}
    /// `co_await semaphore.free()`, then take().
    auto free() {
        return node_.wait_until([this] { return count_ != 0; });
    }
    void take() { --count_; }
    void give() { ++count_; }

private:
    Kernel& node_;
    unsigned count_;
};

Process takes_and_gives(Kernel& node) {
    Semaphore semaphore{node, 1};
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        count_round(round, sums.synchronization);
        co_await semaphore.free();
        semaphore.take();
        semaphore.give();
    }
    co_return Status::ok;
}

alignas(8) std::array<std::byte, 4096> block_memory;

void allocates() {
    static Arena arena{block_memory};
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        count_round(round, sums.memory);
        void* const block = arena.allocate(kBlockBytes);
        sums.right = sums.right && block != nullptr;
        Arena::release(block);
    }
}

// The node ---------------------------------------------------------------------------------------

Process program(Kernel& node) {
    Status status = co_await par(node, gives_way(node, 0), gives_way(node, 1), gives_way(node, 2),
                                 gives_way(node, 3), gives_way(node, 4));
    std::array<Wake*, kProcesses - 1> wakes{};
    for (Wake*& wake : wakes)
        wake = node.make<Wake>(node);
    unsigned come = 0;
    if (status == Status::ok && wakes.back() != nullptr)
        status = co_await pri_par(node,
                                  par(node, in_chain(node, *wakes[0], wakes[1], come),
                                      in_chain(node, *wakes[1], wakes[2], come),
                                      in_chain(node, *wakes[2], wakes[3], come),
                                      in_chain(node, *wakes[3], nullptr, come)),
                                  begins_chain(node, *wakes[0], come));
    Channel<Words> queue{node};
    if (status == Status::ok)
        status = co_await par(node, sends_words(node, queue), takes_words(node, queue));
    if (status == Status::ok)
        status = co_await par(node, takes_and_gives(node));
    allocates();
    sums.ended = true;
    sums.right = sums.right && status == Status::ok;
    co_return status;
}

std::array<PacketBuffer, 48> buffers;
std::array<PortSlot, 48> slots;
std::array<Link, 1> links;
std::array<ProcessSlot, limits::kProcessesMax> processes;
std::array<Peer, 2> peers;
alignas(8) std::array<std::byte, 24576> arena_memory;

unsigned of_round(std::uint32_t sum) {
    return static_cast<unsigned>((sum + kRounds / 2) / kRounds);
}

} // namespace

int main() {
    target::Suite suite("instructions_thread_metric");
    const bench::Counter counter;
    suite.claim("SysTick counts every instruction", counter.exact());
    static bench::Meter the_meter{counter};
    meter = &the_meter;
    static NodeCore node{{{Topology::cube, 1}, node_at(0)},
                         {buffers, slots, links, processes, peers, arena_memory, {}},
                         {4000},
                         {&target::discard, nullptr},
                         &program};
    target::begin(node);
    // As Node::turn() does: a process that gives way goes on when the clock has been looked at.
    for (std::uint64_t now_us = 0; !sums.ended; ++now_us) {
        node.set_clock(now_us);
        std::ignore = node.rest();
        node.run();
    }
    printf("%-24s%8s%8s\n", "as Thread-Metric has it", "of", "instr.");
    printf("%-24s%8u%8u\n", "cooperative, turns", 1u,
           (of_round(sums.cooperative) + kProcesses / 2) / kProcesses);
    printf("%-24s%8u%8u\n", "preemptive, processes", kProcesses, of_round(sums.preemptive));
    printf("%-24s%8u%8u\n", "message, words", 4u, of_round(sums.message));
    printf("%-24s%8u%8u\n", "synchronization", 1u, of_round(sums.synchronization));
    printf("%-24s%8u%8u\n", "memory, bytes", unsigned{kBlockBytes}, of_round(sums.memory));
    suite.claim("nothing is lost, and turns come in order", sums.right);
    return suite.end();
}
