#include "tool_process.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace mesh::host {

namespace {

/// Packages of Debian and its like, by the names that their tools end in.
std::string package_of(std::string_view tool) {
    const bool cross = tool.starts_with("arm-none-eabi-");
    const bool compiler = tool.ends_with("g++") || tool.ends_with("gcc");
    if (!compiler)
        return cross ? "binutils-arm-none-eabi" : "binutils";
    return cross ? "gcc-arm-none-eabi and libstdc++-arm-none-eabi-newlib" : "g++";
}

/// The language of the tools that are started: English, since their words are read here. A user who
/// asks for C gets no letter beyond ASCII; the compiler's quotation marks are some.
std::vector<std::string> in_english() {
    const char* const asked = std::getenv("LC_ALL");
    const bool plain = asked != nullptr && asked == std::string_view{"C"};
    return {plain ? "LC_ALL=C" : "LC_ALL=C.UTF-8", "LANGUAGE="};
}

/// How long a tool may take to remove its own files.
constexpr std::chrono::milliseconds kEndTimeout{2000};

} // namespace

ToolProcess::ToolProcess(const std::vector<std::string>& words, const std::string& folder)
    : name_(words.front()),
      output_(memfd_create("words", MFD_CLOEXEC)) {
    const std::string path = find_program(words.front());
    if (path.empty())
        refuse("{} not found: install {}", words.front(), package_of(words.front()));
    if (output_.get() < 0)
        refuse("{}: no memory for what it says", path);
    std::vector<std::string> all = words;
    all.front() = path;
    const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::vector<std::string> variables = in_english();
    if (!folder.empty())
        variables.push_back("TMPDIR=" + folder);
    process_ = ChildProcess::spawn(
        all, {nothing.get(), output_.get(), output_.get(), {}, variables, SIGTERM});
}

ToolProcess::~ToolProcess() {
    process_.ask_to_end();
    process_.end(kEndTimeout);
}

bool ToolProcess::wait() {
    if (process_.pid() <= 0)
        return good_;
    const HeldSignals held;
    const Signals signals;
    std::array<pollfd, 2> wanted{
        {{process_.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    while (wanted.front().revents == 0) {
        poll(wanted.data(), wanted.size(), -1);
        signals.check();
    }
    good_ = process_.end(kEndTimeout) == "exit 0";
    return good_;
}

std::string ToolProcess::words() const {
    std::string text;
    std::array<char, 4096> part;
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(output_.get(), part.data(), part.size(), at)) > 0; at += got)
        text.append(part.data(), static_cast<std::size_t>(got));
    if (text.empty() && !good_)
        text = fmt::format("mesh: {} has failed and does not say why\n", name_);
    return text;
}

bool run_tool(const std::vector<std::string>& words, std::string& said, const std::string& folder) {
    ToolProcess tool(words, folder);
    const bool good = tool.wait();
    said = tool.words();
    return good;
}

} // namespace mesh::host
