// One line on standard error that says how far a run has come: rewritten on a terminal, a new line
// each second elsewhere, so that short runs say nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace mesh::host {

class Progress {
public:
    /// `quiet`: says nothing at all.
    explicit Progress(bool quiet);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// True if it is time to say something; asking is cheap.
    bool due() const;
    void show(std::string_view text);
    /// Several lines, each ended, in place of the one; on a terminal only.
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
