// One line on standard error that says how far a run has come: rewritten on a terminal, a new line
// each second elsewhere, so that short runs say nothing.
#pragma once

#include "host-tools/mesh/common/wrap.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mesh::host {

/// How many signs a terminal has room for.
struct TerminalSize {
    std::size_t columns = kTextColumns;
    std::size_t rows = 24;
};

/// What the terminal at standard error says of its size; 80 by 24 if it says nothing, or if
/// standard error is none.
TerminalSize terminal_size();

/// How far a run has come. `foreseen` is how many packets there will be, if that is known: then the
/// part of them that has gone is told too, until links have sent some again, which are more.
std::string progress_words(std::uint64_t packets, std::optional<std::uint64_t> foreseen,
                           std::uint32_t nodes_done, std::uint32_t nodes);

class Progress {
public:
    /// `quiet`: says nothing at all.
    explicit Progress(bool quiet);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// True if it is time to say something; asking is cheap.
    bool due() const;
    /// One line; on a terminal as much of it as one row takes.
    void show(std::string_view text);
    /// Several lines, each ended and none longer than a row, in place of the one; on a terminal
    /// only.
    void show_picture(std::string_view text);
    /// The picture that stands there is the last one: what is written next comes below it.
    void keep_picture() { lines_ = 0; }
    /// Takes the line away, so that other output can be written.
    void clear();

private:
    bool quiet_;
    bool terminal_;
    bool shown_ = false;
    std::size_t lines_ = 0; // of the picture that stands there
    std::chrono::steady_clock::time_point last_;
};

} // namespace mesh::host
