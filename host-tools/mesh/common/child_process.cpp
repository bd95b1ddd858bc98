#include "child_process.hpp"

#include "errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

/// How long a program may take to print its lines, and to end after them.
constexpr std::chrono::milliseconds kLineTimeout = 10s;
constexpr std::chrono::milliseconds kEndTimeout = 500ms;
constexpr std::size_t kDescriptorsPerNode = 2; // beside its sockets

/// Everything that the child needs, computed before it exists: it may only make system calls.
struct Exec {
    char* const* words;
    char* const* environment;
    const SpawnFiles& files;
    pid_t parent;
};

/// Makes a descriptor known to the child under `number`.
void give(int fd, int number) {
    if (fd == number)
        fcntl(number, F_SETFD, 0);
    else
        dup2(fd, number);
}

/// The child's side, on a stack of its own in this process's memory.
int become(void* argument) {
    const Exec& exec = *static_cast<const Exec*>(argument);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    setpgid(0, 0); // Ctrl-C at the terminal reaches the host tool only, which ends its children
    prctl(PR_SET_PDEATHSIG, exec.files.end_signal);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // huge pages would make a small machine 3 MB larger
    if (getppid() != exec.parent)
        _exit(127);
    dup2(exec.files.input, STDIN_FILENO);
    dup2(exec.files.output, STDOUT_FILENO);
    dup2(exec.files.errors, STDERR_FILENO);
    int number = kChildFirstFd;
    for (const int fd : exec.files.given)
        give(fd, number++);
    execve(exec.words[0], exec.words, exec.environment);
    _exit(127);
}

/// As posix_spawn() does: the child borrows this process's memory until it has become QEMU, so that
/// starting it costs the same however large we are. posix_spawn() itself cannot set a death signal.
pid_t start(Exec& exec) {
    alignas(16) static std::array<std::byte, 32768> stack;
    return clone(become, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &exec);
}

/// Waits until there is something to read, or the end of it.
bool readable(int fd, std::chrono::milliseconds timeout) {
    pollfd wanted{fd, POLLIN, 0};
    const timespec time{timeout.count() / 1000, timeout.count() % 1000 * 1'000'000};
    sigset_t held; // ticks of a simulation
    pthread_sigmask(SIG_BLOCK, nullptr, &held);
    sigaddset(&held, SIGALRM);
    return ppoll(&wanted, 1, &time, &held) == 1;
}

std::chrono::milliseconds left_until(std::chrono::steady_clock::time_point end) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    return std::max(left, 0ms);
}

/// Two NAME=VALUE of one name.
bool same_name(std::string_view one, std::string_view other) {
    return one.substr(0, one.find('=')) == other.substr(0, other.find('='));
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

Fd::~Fd() {
    if (fd_ >= 0)
        close(fd_);
}

int Fd::release() { return std::exchange(fd_, -1); }

std::pair<Fd, Fd> socket_pair(int type) {
    int ends[2];
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
        throw RunError(fmt::format("socketpair: {}", std::strerror(errno)));
    const Fd far_end(ends[1]);
    Fd near_end(ends[0]);
    Fd moved(fcntl(far_end.get(), F_DUPFD_CLOEXEC, kGivenFdMin));
    if (moved.get() < 0)
        throw RunError(fmt::format("fcntl: {}", std::strerror(errno)));
    return {std::move(near_end), std::move(moved)};
}

std::size_t descriptors_for(std::size_t nodes, unsigned sockets) {
    return (kDescriptorsPerNode + sockets) * nodes + 2 * kGivenFdMin;
}

std::size_t descriptors_max() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max;
}

void allow_descriptors(std::size_t wanted) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
}

void work_in_batches() {
    const sched_param no_priority{};
    static_cast<void>(sched_setscheduler(0, SCHED_BATCH, &no_priority));
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(ended_, other.ended_);
    return *this;
}

ChildProcess ChildProcess::spawn(const std::vector<std::string>& words, const SpawnFiles& files) {
    std::vector<std::string> copy = words;
    std::vector<char*> pointers = pointers_to(copy);
    // One malloc arena is enough for a machine with one CPU and saves memory per node.
    static char arenas[] = "MALLOC_ARENA_MAX=1";
    std::vector<std::string> variables = files.variables;
    std::vector<char*> environment = pointers_to(variables);
    environment.back() = arenas;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::ranges::none_of(variables,
                                 [&](const auto& own) { return same_name(own, *variable); }))
            environment.push_back(*variable);
    environment.push_back(nullptr);
    Exec exec{pointers.data(), environment.data(), files, getpid()};
    const pid_t pid = start(exec);
    if (pid < 0)
        throw RunError(fmt::format("cannot start {}: {}", words.front(), std::strerror(errno)));
    return ChildProcess(pid);
}

int ChildProcess::descriptor() const {
    if (ended_.get() < 0)
        ended_ = Fd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    if (ended_.get() < 0)
        throw RunError(
            fmt::format("pidfd_open: {}; Linux 5.3 or newer is needed", std::strerror(errno)));
    return ended_.get();
}

void ChildProcess::ask_to_end() const {
    if (pid_ > 0)
        ::kill(-pid_, SIGTERM); // its group
}

void ChildProcess::kill() const {
    if (pid_ > 0)
        ::kill(pid_, SIGKILL);
}

std::string ChildProcess::end(std::chrono::milliseconds timeout) {
    if (pid_ <= 0)
        return "gone";
    if (!readable(descriptor(), timeout))
        kill();
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFSIGNALED(status))
        return fmt::format("signal {}", WTERMSIG(status));
    return fmt::format("exit {}", WEXITSTATUS(status));
}

void ChildProcess::reap() {
    if (pid_ <= 0)
        return;
    kill();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? name : std::string{};
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string candidate = fmt::format("{}/{}", folder, name);
        if (access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

std::vector<std::string> lines_of(const std::vector<std::string>& words, std::size_t count) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return {};
    const Fd reader(ends[0]);
    Fd writer(ends[1]);
    const Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    ChildProcess child = ChildProcess::spawn(words, {null.get(), writer.get(), null.get(), {}});
    close(writer.release());
    std::vector<std::string> lines;
    std::string line;
    const auto until = std::chrono::steady_clock::now() + kLineTimeout;
    for (char byte = 0; lines.size() < count && readable(reader.get(), left_until(until)) &&
                        read(reader.get(), &byte, 1) == 1;) {
        if (byte != '\n')
            line.push_back(byte);
        else
            lines.push_back(std::exchange(line, {}));
    }
    if (!line.empty())
        lines.push_back(line);
    child.end(kEndTimeout);
    return lines;
}

} // namespace mesh::host
