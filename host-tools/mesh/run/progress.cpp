#include "progress.hpp"

#include "host-tools/mesh/common/say.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {
constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kFilePeriod{1000};
} // namespace

Progress::Progress(bool quiet)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      last_(std::chrono::steady_clock::now()) {}

bool Progress::due() const {
    const auto period = terminal_ ? kTerminalPeriod : kFilePeriod;
    return !quiet_ && std::chrono::steady_clock::now() - last_ >= period;
}

void Progress::show(std::string_view text) {
    last_ = std::chrono::steady_clock::now();
    shown_ = true;
    if (terminal_)
        say("\r{}\033[K", text);
    else
        say("{}\n", text);
    std::fflush(stderr);
}

void Progress::show_picture(std::string_view text) {
    clear();
    last_ = std::chrono::steady_clock::now();
    lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    say("{}", text);
    std::fflush(stderr);
}

void Progress::clear() {
    if (lines_ != 0)
        say("\033[{}A\033[J", std::exchange(lines_, 0));
    if (shown_ && terminal_)
        say("\r\033[K");
    shown_ = false;
}

} // namespace mesh::host
