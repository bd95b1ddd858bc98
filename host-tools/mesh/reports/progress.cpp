#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace mesh::host {

namespace {
constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kFilePeriod{1000};
} // namespace

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) != 0),
      last_(std::chrono::steady_clock::now()) {}

bool Progress::due() const {
    const auto period = terminal_ ? kTerminalPeriod : kFilePeriod;
    return std::chrono::steady_clock::now() - last_ >= period;
}

void Progress::show(std::string_view text) {
    last_ = std::chrono::steady_clock::now();
    shown_ = true;
    if (terminal_)
        fmt::print(stderr, "\r{}\033[K", text);
    else
        fmt::print(stderr, "{}\n", text);
    std::fflush(stderr);
}

void Progress::clear() {
    if (shown_ && terminal_)
        fmt::print(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace mesh::host
