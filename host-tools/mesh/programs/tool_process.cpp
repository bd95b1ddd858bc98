#include "tool_process.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <system_error>
#include <utility>

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

/// Our environment, but for the language: what tools say is read here. A user who asks for C gets
/// no letter beyond ASCII; the compiler's quotation marks are some.
std::vector<std::string> english_environment() {
    const char* const asked = std::getenv("LC_ALL");
    const bool plain = asked != nullptr && asked == std::string_view{"C"};
    std::vector<std::string> all{plain ? "LC_ALL=C" : "LC_ALL=C.UTF-8"};
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with("LC_ALL=") && !text.starts_with("LANGUAGE="))
            all.emplace_back(text);
    }
    return all;
}

std::vector<char*> pointers_into(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

ToolProcess::ToolProcess(const std::vector<std::string>& words)
    : name_(words.front()),
      output_(memfd_create("words", MFD_CLOEXEC)) {
    const std::string path = find_program(words.front());
    if (path.empty())
        refuse("{} not found: install {}", words.front(), package_of(words.front()));
    if (output_.get() < 0)
        refuse("{}: no memory for what it says", path);
    const std::vector<std::string> variables = english_environment();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output_.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    const int error = posix_spawn(&pid_, path.c_str(), &files, nullptr, pointers_into(words).data(),
                                  pointers_into(variables).data());
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        refuse("{}: cannot be started: {}", path,
               std::error_code(error, std::generic_category()).message());
}

ToolProcess::ToolProcess(ToolProcess&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      good_(other.good_) {}

bool ToolProcess::wait() {
    int status = 0;
    if (pid_ > 0 && waitpid(std::exchange(pid_, -1), &status, 0) > 0)
        good_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
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

bool run_tool(const std::vector<std::string>& words, std::string& said) {
    ToolProcess tool(words);
    const bool good = tool.wait();
    said = tool.words();
    return good;
}

} // namespace mesh::host
