// Signals that end a run: read from a descriptor, so that all destructors run and no child stays.
#pragma once

#include "child_process.hpp"

namespace mesh::host {

/// Ends the run with exit code 128 + signal.
struct Interrupted {
    int signal;
};

/// Takes SIGINT, SIGTERM and SIGHUP as long as it lives, but for those that this process was
/// started to ignore, as by nohup or in the background of a script.
class Signals {
public:
    Signals();
    /// Readable when there is one.
    int descriptor() const { return descriptor_.get(); }
    /// Throws Interrupted if one has come.
    void check() const;

private:
    Fd descriptor_;
};

/// A signal that ends a run is pending. May be called by a signal handler.
bool end_is_asked_for();

} // namespace mesh::host
