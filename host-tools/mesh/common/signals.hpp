// Signals that end a run. The first one is read from a descriptor and ends the run as --limit does:
// the results are still written, all destructors run and no child stays. A second signal means that
// there is no time for that: it ends the process at once, and the system ends its children.
#pragma once

#include "child_process.hpp"

#include <csignal>

namespace mesh::host {

/// Ends the run with exit code kSignalBase + signal.
struct Interrupted {
    int signal;
};
inline constexpr int kSignalBase = 128;

/// Takes SIGINT, SIGTERM and SIGHUP as long as it lives, except those that this process was
/// started to ignore, as by nohup or in the background of a script.
class Signals {
public:
    Signals();
    /// Readable when a signal has come.
    int descriptor() const { return descriptor_.get(); }
    /// Throws Interrupted if one has come, after end_at_next_signal().
    void check() const;

private:
    Fd descriptor_;
};

/// While it lives, a signal that ends this process is held for the next Signals::check(), so that
/// destructors run. Afterwards all is as before.
class HeldSignals {
public:
    HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    ~HeldSignals();

private:
    sigset_t before_{};
    Signals held_;
};

/// From now on a signal ends the process at once, with its line and its exit code. Those that come
/// within a moment of this call are taken for the same wish: `timeout` sends its own twice.
void end_at_next_signal();

/// A signal that ends a run is pending, or has been read. May be called by a signal handler.
bool end_is_asked_for();

} // namespace mesh::host
