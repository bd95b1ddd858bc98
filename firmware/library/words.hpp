// Input of a program from outside (words of the command line, lines of the input), and random
// numbers.
#pragma once

#include "collectives/host_files.hpp"
#include "core/base/order.hpp"
#include "kernel/node/kernel.hpp"
#include "library/print.hpp"
#include "wire/host_messages.hpp"

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mesh {

/// Word `at` behind -- as a number; `otherwise`, if there are not so many. A word that is no such
/// number gives `otherwise` too: `valid`, if given, says so.
template <std::integral T>
T word(const Kernel& kernel, std::size_t at, T otherwise, bool* valid = nullptr) {
    const auto words = kernel.arguments();
    bool good = true;
    T value = otherwise;
    if (at < words.size()) {
        const char* const end = words[at].data() + words[at].size();
        const auto read = std::from_chars(words[at].data(), end, value);
        good = read.ec == std::errc{} && read.ptr == end;
    }
    if (valid != nullptr)
        *valid = good;
    return good ? value : otherwise;
}

/// `while (co_await read_line(node, position, room, line))`: the next line of the input, which is
/// --input or, without it, a file at standard input. `position`, 0 at first, moves behind it. A
/// line that is longer than `room` comes in chunks. False: there are no more.
inline Task<bool> read_line(Kernel& kernel, std::uint32_t& position, std::span<char> room,
                            std::string_view& line) {
    const std::size_t left = input_bytes(kernel) - least(input_bytes(kernel), position);
    const auto chunk = room.first(least(left, room.size()));
    const Status status = co_await read_input(kernel, position, std::as_writable_bytes(chunk));
    if (status != Status::ok || chunk.empty())
        co_return false;
    line = {chunk.data(), chunk.size()};
    line = line.substr(0, line.find('\n'));
    position += static_cast<std::uint32_t>(least(line.size() + 1, chunk.size()));
    co_return true;
}

/// write_output() of text.
inline void write_text(Kernel& kernel, std::uint32_t position, std::string_view text) {
    write_output(kernel, position, std::as_bytes(std::span{text}));
}

/// Ends the whole run as failed, at once, for every node: MPI's abort. `why` is shown.
inline void end_run(Kernel& kernel, std::string_view why) {
    kernel.flush_print();
    kernel.host_send(wire::HostTag::abort, std::as_bytes(std::span{why}));
}

/// Refuses the program's arguments: node 0 prints `why`, for all nodes. Returns bad_argument,
/// for the program to return.
inline Status refuse(const Kernel& kernel, std::string_view why) {
    if (index(kernel.id()) == 0)
        print("{}\n", why);
    return Status::bad_argument;
}

/// Random numbers (SplitMix64): the same for the same seed, on every engine. Not for secrets.
class Random {
public:
    /// Begins the sequence of `seed`, any number.
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
    /// Other numbers on each node, and with each --seed of the run.
    explicit Random(const Kernel& kernel)
        : Random(kernel.job().seed * 0x9E37'79B9'7F4A'7C15u + index(kernel.id()) + 1) {
        state_ = next64();
    }

    /// The next number, all 64 bits of it.
    constexpr std::uint64_t next64() {
        state_ += 0x9E37'79B9'7F4A'7C15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EBu;
        return mixed ^ (mixed >> 31);
    }
    /// The upper half of the next number.
    constexpr std::uint32_t next() { return static_cast<std::uint32_t>(next64() >> 32); }
    /// 0 .. `end` - 1, each as likely as the others to one in 2^32; 0 for an `end` of 0.
    constexpr std::uint32_t below(std::uint32_t end) {
        return static_cast<std::uint32_t>((std::uint64_t{next()} * end) >> 32);
    }
    /// 0 <= x < 1, in steps of 2^-24.
    constexpr float unit() { return static_cast<float>(next() >> 8) * 0x1p-24f; }

private:
    std::uint64_t state_;
};

} // namespace mesh
