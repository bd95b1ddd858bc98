#include "debug_command.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

/// Words of the run about a node that waits (QemuEngine::tell_debuggers()).
constexpr std::string_view kAttach = "; attach with: ";

/// A run's standard error, line by line. All but what is for the debugger goes on to ours.
class Errors {
public:
    explicit Errors(Fd end) : end_(std::move(end)) {}

    int descriptor() const { return end_.get(); }

    /// Reads what there is; false at its end.
    bool read_more() {
        std::array<char, 4096> part;
        const ssize_t got = read(end_.get(), part.data(), part.size());
        if (got < 0 && errno == EINTR)
            return true;
        text_.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        for (std::size_t end = 0; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1))
            take(text_.substr(0, end + 1));
        return got > 0;
    }

    /// Commands that attach to a node each, as words.
    const std::vector<std::vector<std::string>>& held() const { return held_; }

private:
    void take(const std::string& line) {
        const std::size_t at = line.find(kAttach);
        if (at == line.npos)
            return say("{}", line);
        held_.push_back(
            words_of_line(line.substr(at + kAttach.size(), line.size() - at - kAttach.size() - 1)));
    }

    Fd end_;
    std::string text_;
    std::vector<std::vector<std::string>> held_;
};

/// One debugger for all nodes: each is an inferior, and a breakpoint is in all of them.
std::vector<std::string> debugger(const DebugArguments& arguments, const Errors& errors) {
    std::vector<std::string> words{find_program(arguments.gdb), "-q"};
    const auto say_to_it = [&](std::string command) {
        words.insert(words.end(), {"-ex", std::move(command)});
    };
    say_to_it(fmt::format("source {}", (toolkit_folder() / "waits.py").string()));
    for (std::size_t number = 1; number <= errors.held().size(); ++number) {
        const std::vector<std::string>& attach = errors.held()[number - 1]; // gdb IMAGE -ex COMMAND
        if (number > 1)
            say_to_it("add-inferior -no-connection");
        say_to_it(fmt::format("inferior {}", number));
        say_to_it(fmt::format("file {}", shell_word(attach.at(1))));
        say_to_it(attach.back());
    }
    say_to_it("inferior 1");
    say_to_it("echo mesh-continue lets all nodes go on, mesh-waits says what a node waits for\\n");
    for (const std::string& command : arguments.commands)
        say_to_it(command);
    return words;
}

/// Passes on what the run says until `child` has ended, or the run has.
void follow(Errors& errors, const ChildProcess& child) {
    std::array<pollfd, 2> wanted{
        {{child.descriptor(), POLLIN, 0}, {errors.descriptor(), POLLIN, 0}}};
    while (wanted[0].revents == 0) {
        poll(wanted.data(), wanted.size(), -1);
        if (wanted[1].revents != 0 && !errors.read_more())
            wanted[1].fd = -1;
    }
}

int status_of(const std::string& end) {
    constexpr std::string_view kExit = "exit ";
    return end.starts_with(kExit) ? std::stoi(end.substr(kExit.size())) : 1;
}

} // namespace

int run_debug(const DebugArguments& arguments) {
    if (find_program(arguments.gdb).empty())
        refuse("{} not found: install gdb-multiarch, or name another with --gdb", arguments.gdb);
    // Ctrl-C stops the nodes: the debugger takes it, and neither the run nor this process.
    std::signal(SIGINT, SIG_IGN);
    const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto [ours, theirs] = socket_pair(SOCK_STREAM);
    std::vector<std::string> words{arguments.program, "run"};
    for (const std::uint32_t node : arguments.nodes)
        words.insert(words.end(), {"--gdb", std::to_string(node)});
    words.insert(words.end(), arguments.run.begin(), arguments.run.end());
    ChildProcess run =
        ChildProcess::spawn(words, {nothing.get(), STDOUT_FILENO, theirs.get(), {}, {}, SIGTERM});
    theirs = Fd(); // so that its end is seen
    Errors errors(std::move(ours));
    while (errors.held().size() < arguments.nodes.size() && errors.read_more()) {
    }
    if (errors.held().size() == arguments.nodes.size()) {
        ChildProcess gdb = ChildProcess::spawn(debugger(arguments, errors),
                                               {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
        follow(errors, gdb);
    }
    follow(errors, run);
    while (errors.read_more()) {
    }
    return status_of(run.end(std::chrono::seconds(1)));
}

} // namespace mesh::host
