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

/// The size of the terminal at standard error, as the terminal says it; 80 by 24 if it says
/// nothing, or if standard error is no terminal.
TerminalSize terminal_size();

/// How far a run has come, in words. `foreseen` is the number of packets of the whole run, if that
/// is known: then the words tell the part that has gone, until there are more, as links repeat
/// packets.
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
    /// The picture that is shown is the last one: the next output comes below it.
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
