// A child process: started without copying this process, gone when this process goes.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace mesh::host {

/// A file descriptor that closes itself.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept;
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd();

    int get() const { return fd_; }
    int release();

private:
    int fd_ = -1;
};

/// A child finds the descriptors that it is given under the numbers from kChildFirstFd on; all
/// others are closed. If there are several, they have numbers from kGivenFdMin on in this process,
/// so that none is overwritten.
inline constexpr int kChildFirstFd = 3;
inline constexpr int kGivenFdMin = 64;

/// Two ends of a socket of this type (SOCK_STREAM, ...), the second one to be given to a child.
/// RunError.
std::pair<Fd, Fd> socket_pair(int type);

/// Files that this process has open for so many nodes, each with so many sockets: beside these its
/// monitor and its standard error, and some that all nodes share.
std::size_t descriptors_for(std::size_t nodes, unsigned sockets);
/// The most files that this process may be allowed to open (ulimit -Hn).
std::size_t descriptors_max();
/// Raises the limit of this process to so many, or as far as it may.
void allow_descriptors(std::size_t wanted);

/// From here on this process, and every child that it starts, gives up a core only when it waits or
/// has had its share, not whenever another one wakes (SCHED_BATCH). Where nodes share cores, frames
/// gather meanwhile, and more of them are handled at each wake-up. Where the system does not allow
/// it, all is as before.
void work_in_batches();

/// The descriptors of this process that a child gets; -1: none.
struct SpawnFiles {
    int input;
    int output;
    int errors;
    std::vector<int> given{};
    std::vector<std::string> variables{}; // of its environment, NAME=VALUE, in place of ours
    int end_signal = SIGKILL;             // when this process ends without it
};

/// A running child. Dies with its owner: by the destructor, and by the kernel (PR_SET_PDEATHSIG)
/// when this process ends without running it.
class ChildProcess {
public:
    ChildProcess() = default;
    ChildProcess(ChildProcess&& other) noexcept
        : pid_(std::exchange(other.pid_, -1)),
          ended_(std::move(other.ended_)) {}
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess() { reap(); }

    /// Starts `words` (the first one a path). RunError.
    static ChildProcess spawn(const std::vector<std::string>& words, const SpawnFiles& files);
    /// A child of this process that another one has made.
    static ChildProcess adopt(pid_t pid) { return ChildProcess(pid); }

    pid_t pid() const { return pid_; }
    /// Readable when the process has ended; opened when it is first asked for. RunError.
    int descriptor() const;
    /// Asks it, and all that it has started, to end.
    void ask_to_end() const;
    /// Sends SIGKILL; the process is still to be reaped.
    void kill() const;
    /// Waits for the end of the process, kills it after `timeout`, and says how it ended: "exit
    /// 1", "signal 9".
    std::string end(std::chrono::milliseconds timeout);

private:
    explicit ChildProcess(pid_t pid) : pid_(pid) {}
    void reap();

    pid_t pid_ = -1;
    mutable Fd ended_; // a pidfd, or nothing
};

/// Full path of a program, as the shell would find it; empty if there is none.
std::string find_program(const std::string& name);

/// The first `count` lines that a program prints; fewer if it does not run, has no more to say, or
/// says nothing for some seconds.
std::vector<std::string> lines_of(const std::vector<std::string>& words, std::size_t count);

} // namespace mesh::host
