#include "progress.hpp"

#include "host-tools/mesh/common/say.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {
constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kFilePeriod{1000};
} // namespace

TerminalSize terminal_size() {
    winsize size{};
    TerminalSize found;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 && size.ws_row != 0)
        found = {size.ws_col, size.ws_row};
    return found;
}

std::string progress_words(std::uint64_t packets, std::optional<std::uint64_t> foreseen,
                           std::uint32_t nodes_done, std::uint32_t nodes) {
    std::string part;
    if (foreseen && *foreseen != 0 && packets <= *foreseen)
        part = fmt::format(" of {} ({} %)", *foreseen, 100 * packets / *foreseen);
    return fmt::format("running: {}{}, {} of {} done", counted(packets, "packet"), part, nodes_done,
                       counted(nodes, "node"));
}

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
        say("\r{}\033[K", text.substr(0, terminal_size().columns - 1));
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
