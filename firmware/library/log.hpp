// A log with levels and model time, which is kept in the node's memory and needs no host.
//
//   Log<LogLevel::info> log{node};
//   log(LogLevel::info, "took {} of {}", taken, whole);      // as print(), without an end of line
//   log(LogLevel::debug, "round {}", round);                 // no code: the log stops at info
//   log.print();                                             // "[12.500 info] took 3 of 4"
//
// Log<> is off: no line of it is compiled, and the object is empty. Which it is the program says in
// one place, the type of its log. A line that is kept costs no text: its words stay where they are,
// its values are copied, and print() puts them together.
#pragma once

#include "core/base/order.hpp"
#include "kernel/node/kernel.hpp"
#include "library/print.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mesh {

/// How much a line of a log matters; each level of a log has those before it.
enum class LogLevel : std::uint8_t { off, error, warning, info, debug };

/// The name of a level.
constexpr std::string_view words_of(LogLevel level) {
    constexpr std::array<std::string_view, 5> kNames{"off", "error", "warning", "info", "debug"};
    return kNames[static_cast<std::size_t>(level)];
}

/// A line of a log.
struct LogLine {
    static constexpr std::size_t kValuesMax = 4;

    wire::ModelTime time = 0; ///< The model clock of its process.
    LogLevel level = LogLevel::off;
    std::string_view words;                       ///< With {} for its values.
    std::array<std::uint64_t, kValuesMax> values; ///< Each in the first bytes of its place.
    void (*print_words)(const LogLine& line) = nullptr;

    /// Prints it, with its time and level.
    void print() const {
        const auto thousandths =
            static_cast<unsigned>(time % wire::kTicksPerUnit * 1000 / wire::kTicksPerUnit);
        mesh::print("[{}.{:03} {}] ", time / wire::kTicksPerUnit, thousandths, words_of(level));
        print_words(*this);
        mesh::print("\n");
    }
};

/// The log of a program: its last `kLines` lines, of the levels up to `kMost`. Not for interrupts.
template <LogLevel kMost = LogLevel::off, std::size_t kLines = 16>
class Log {
public:
    /// `prints`: each line at once, too. `node` must outlive it.
    explicit Log(Kernel& node, bool prints = false) : node_(node), prints_(prints) {}
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// Keeps a line, if `level` is one of the log's. `words` as of print(); four values at most,
    /// of 8 bytes each: numbers, bool, Status, NodeId, and text that stays as it is.
    template <class... Values>
    [[gnu::always_inline]] void operator()(LogLevel level,
                                           PrintWords<std::type_identity_t<Values>...> words,
                                           const Values&... values) {
        static_assert(sizeof...(Values) <= LogLine::kValuesMax);
        if (level <= kMost && level <= level_)
            keep<std::decay_t<const Values>...>(level, words.text(), values...);
    }

    /// From now on only lines of levels up to `level` are kept.
    void set_level(LogLevel level) { level_ = level; }

    /// The number of lines that are kept.
    std::size_t size() const { return least(kept_, kLines); }
    /// The number of lines that newer ones have replaced.
    std::size_t lost() const { return kept_ - size(); }
    /// A line that is kept, 0 to size() - 1: the oldest first.
    const LogLine& operator[](std::size_t number) const {
        return lines_[(lost() + number) % kLines];
    }
    /// Prints all lines that are kept, and forgets them.
    void print() {
        for (std::size_t number = 0; number < size(); ++number)
            (*this)[number].print();
        kept_ = 0;
    }

private:
    template <class... Values>
    void keep(LogLevel level, std::string_view words, Values... values) {
        LogLine& line = lines_[kept_++ % kLines];
        line.time = node_.now();
        line.level = level;
        line.words = words;
        line.print_words = print_words<Values...>;
        [[maybe_unused]] std::size_t at = 0;
        (put(line.values[at++], values), ...);
        if (prints_)
            line.print();
    }
    template <class Value>
    static void put(std::uint64_t& place, const Value& value) {
        static_assert(sizeof value <= sizeof place && std::is_trivially_copyable_v<Value>,
                      "a log keeps numbers, and text as const char*");
        std::memcpy(&place, &value, sizeof value);
    }
    template <class Value>
    static Value get(const std::uint64_t& place) {
        Value value;
        std::memcpy(&value, &place, sizeof value);
        return value;
    }
    template <class... Values, std::size_t... kAt>
    static void print_row(const LogLine& line, std::index_sequence<kAt...> /*places*/) {
        detail::print_parts(line.words, get<Values>(line.values[kAt])...);
    }
    template <class... Values>
    static void print_words(const LogLine& line) {
        print_row<Values...>(line, std::index_sequence_for<Values...>{});
    }

    Kernel& node_;
    std::array<LogLine, kLines> lines_{};
    std::size_t kept_ = 0;
    LogLevel level_ = kMost;
    bool prints_;
};

/// A log that is off.
template <std::size_t kLines>
class Log<LogLevel::off, kLines> {
public:
    explicit Log(Kernel& /*node*/, bool /*prints*/ = false) {}
    /// Nothing.
    template <class... Values>
    [[gnu::always_inline]] void operator()(LogLevel /*level*/,
                                           PrintWords<std::type_identity_t<Values>...> /*words*/,
                                           const Values&... /*values*/) {}
    void set_level(LogLevel /*level*/) {} ///< Nothing.
    std::size_t size() const { return 0; }
    std::size_t lost() const { return 0; }
    void print() {}
};

} // namespace mesh
