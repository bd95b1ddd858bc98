#include "tool_process.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>

namespace mesh::host {

ToolProcess::ToolProcess(const std::vector<std::string>& words, std::string output)
    : output_(std::move(output)) {
    const std::string path = find_program(words.front());
    if (path.empty())
        refuse("{} not found; `make deps` installs it", words.front());
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output_.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    const int error = posix_spawn(&pid_, path.c_str(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        refuse("{}: cannot be started: {}", path,
               std::error_code(error, std::generic_category()).message());
}

ToolProcess::ToolProcess(ToolProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      good_(other.good_) {}

bool ToolProcess::wait() {
    int status = 0;
    if (pid_ > 0 && waitpid(std::exchange(pid_, -1), &status, 0) > 0)
        good_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return good_;
}

std::string ToolProcess::words() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool run_tool(const std::vector<std::string>& words, const std::string& output, std::string& said) {
    ToolProcess tool(words, output);
    const bool good = tool.wait();
    said = tool.words();
    return good;
}

} // namespace mesh::host
