#include "signals.hpp"

#include "errors.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

namespace mesh::host {

namespace {

/// That end a run.
constexpr std::array kEndSignals{SIGINT, SIGTERM, SIGHUP};

bool is_ignored(int signal) {
    struct sigaction action = {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
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
    if (read(descriptor_.get(), &signal, sizeof signal) == sizeof signal)
        throw Interrupted{static_cast<int>(signal.ssi_signo)};
}

bool end_is_asked_for() {
    sigset_t pending;
    sigpending(&pending);
    return std::ranges::any_of(kEndSignals,
                               [&](int signal) { return sigismember(&pending, signal) != 0; });
}

} // namespace mesh::host
