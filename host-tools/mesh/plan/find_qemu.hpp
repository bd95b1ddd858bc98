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

/// Whether the emulator at `path` can confine itself (-sandbox).
bool has_sandbox(const std::string& path);

/// The versions that the tests have seen, with commas between.
std::string tested_qemu_versions();

} // namespace mesh::host
