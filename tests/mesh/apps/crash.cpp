// Node 1 does the forbidden thing that its first word names; the other nodes end well. The
// comment behind a statement is the word for it: the tests look there for the line.
#include "meshputer.hpp"

#include <array>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using mesh::Kernel;
using mesh::Process;
using mesh::Status;

// Values that the compiler must not know.
volatile std::uintptr_t null = 0;
volatile std::uintptr_t wild = 0x6000'0000;
volatile int zero = 0;
volatile long long long_zero = 0;
volatile int sink = 0;
volatile int deepest = 1'000'000'000;

int& at(std::uintptr_t address) { return *reinterpret_cast<int*>(address); }

[[gnu::noinline]] int recurse(int depth) {
    volatile int eater[64] = {};
    eater[static_cast<unsigned>(depth) % 64] = depth;
    return depth == deepest ? 0 : recurse(depth + 1) + eater[0];
}

/// One assembler instruction that wants whole words, on a target that knows it.
void load_unaligned([[maybe_unused]] std::uintptr_t address) {
#if defined(__arm__) && __ARM_ARCH_ISA_THUMB >= 2
    asm volatile("ldrd r2, r3, [%0]" ::"r"(address) : "r2", "r3"); // unaligned
#endif
}

bool processor_faults(std::string_view word) {
    static std::array<int, 4> words;
    if (word == "read-null")
        sink = at(null); // read-null
    if (word == "write-null")
        at(null) = 1; // write-null
    if (word == "call-null")
        reinterpret_cast<void (*)()>(null)(); // call-null
    if (word == "wild")
        sink = at(wild); // wild
    if (word == "write-code")
        at(reinterpret_cast<std::uintptr_t>(&recurse) & ~std::uintptr_t{3}) = 1; // write-code
    if (word == "divide")
        sink = 7 / zero; // divide
    if (word == "long-divide")
        sink = static_cast<int>(7 / long_zero); // long-divide
    if (word == "undefined")
        __builtin_trap(); // undefined
    if (word == "recurse")
        sink = recurse(0);
    if (word == "unaligned")
        load_unaligned(reinterpret_cast<std::uintptr_t>(words.data()) + 1);
    return false;
}

bool gives_up(std::string_view word) {
    if (word == "assert")
        assert(word.empty()); // assert
    if (word == "abort")
        std::abort(); // abort
    if (word == "exit")
        printf("exit prints what is left");
    if (word == "exit")
        std::exit(5); // exit
    return false;
}

Process write_one(Kernel&, mesh::Channel<int>& channel) {
    co_await channel.write(1); // two-writers
    co_return Status::ok;
}

Process read_one(Kernel&, mesh::Channel<int>& channel) {
    std::ignore = co_await channel.read(); // two-readers
    co_return Status::ok;
}

Process breaks_promises(Kernel& node, std::string_view word) {
    mesh::Channel<int> channel{node};
    for (unsigned user = 0; user < 2; ++user) {
        if (word == "two-writers" && !node.spawn(write_one(node, channel)))
            co_return Status::no_memory;
        if (word == "two-readers" && !node.spawn(read_one(node, channel)))
            co_return Status::no_memory;
    }
    co_await node.yield();
    if (word == "no-port")
        sink = static_cast<int>(index(node.neighbor(mesh::port_at(20))));
    if (word == "bad-free") {
        void* const block = node.arena().allocate(64);
        mesh::Arena::release(block);
        mesh::Arena::release(block); // bad-free
    }
    co_return Status::ok;
}

} // namespace

Process app_main(Kernel& node) {
    if (node.id() != mesh::NodeId{1} || node.arguments().empty())
        co_return Status::ok;
    const std::string_view word = node.arguments()[0];
    if (processor_faults(word) || gives_up(word))
        co_return Status::ok;
    const Status status = co_await breaks_promises(node, word);
    co_return status;
}
