// The emulator on this machine: where it is, and whether its version will do.
#pragma once

#include "host-tools/mesh/rig/qemu_version.hpp"

#include <string>

namespace mesh::host {

struct Qemu {
    std::string path;
    QemuVersion version;
};

/// The emulator of this name, after a look at its version. Says on standard error, once, if the
/// tests have not seen that version. UsageError: there is none, or it is too old.
Qemu find_qemu(const std::string& name);

/// True if the emulator at `path` can confine itself (-sandbox).
bool has_sandbox(const std::string& path);

/// Why nodes are not forked by it (host-tools/template/) unless that is asked for; "" if they are.
/// One that the tests have not seen may differ in what matters there, and a script may do something
/// for each node that it is called for.
std::string why_not_forked(const Qemu& qemu);

/// The versions that the tests have seen, with commas between.
std::string tested_qemu_versions();

} // namespace mesh::host
