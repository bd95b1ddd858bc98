#include "signals.hpp"

#include "errors.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <sys/signalfd.h>
#include <unistd.h>

namespace mesh::host {

namespace {

/// The signals that end a run.
constexpr std::array kEndSignals{SIGINT, SIGTERM, SIGHUP};

/// Signals so soon after the first one are the same wish.
constexpr std::int64_t kSameWishMs = 300;

volatile std::sig_atomic_t has_been_read = 0;
std::int64_t same_wish_until_ms = 0; // written once, before the handler is there

bool is_ignored(int signal) {
    struct sigaction action = {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

std::int64_t now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// A handler: it may only make system calls.
void end_at_once(int signal) {
    if (now_ms() < same_wish_until_ms)
        return;
    const std::string_view line = signal == SIGINT    ? "mesh: ended by signal 2\n"
                                  : signal == SIGTERM ? "mesh: ended by signal 15\n"
                                                      : "mesh: ended by signal 1\n";
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
    _exit(kSignalBase + signal);
}

} // namespace

Signals::Signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEndSignals)
        if (!is_ignored(signal))
            sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (descriptor_.get() < 0)
        throw RunError("signalfd: not there; Linux is needed");
}

void Signals::check() const {
    signalfd_siginfo signal{};
    if (read(descriptor_.get(), &signal, sizeof signal) == sizeof signal) {
        has_been_read = 1;
        // A waiting call would else wake up for each further signal, before the handler has it.
        sigset_t none;
        sigemptyset(&none);
        signalfd(descriptor_.get(), &none, 0);
        end_at_next_signal();
        throw Interrupted{static_cast<int>(signal.ssi_signo)};
    }
}

HeldSignals::HeldSignals()
    : before_([] {
          sigset_t mask;
          sigprocmask(SIG_BLOCK, nullptr, &mask);
          return mask;
      }()) {}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

void end_at_next_signal() {
    if (same_wish_until_ms != 0)
        return;
    same_wish_until_ms = now_ms() + (has_been_read != 0 ? kSameWishMs : 0);
    struct sigaction action = {};
    action.sa_handler = end_at_once;
    action.sa_flags = SA_RESTART;
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEndSignals)
        if (!is_ignored(signal)) {
            sigaction(signal, &action, nullptr);
            sigaddset(&set, signal);
        }
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool end_is_asked_for() {
    if (has_been_read != 0)
        return true;
    sigset_t pending;
    sigpending(&pending);
    return std::ranges::any_of(kEndSignals,
                               [&](int signal) { return sigismember(&pending, signal) != 0; });
}

} // namespace mesh::host
