// How much memory there is for the nodes of a rig.
#pragma once

#include <cstdint>
#include <filesystem>

namespace mesh::host {

/// Memory that can be used without swapping, within the limits of the control groups (version 2)
/// that this process is in, in kilobytes. The folders are those of the kernel, but in a test.
std::uint64_t available_kbyte(const std::filesystem::path& processes = "/proc",
                              const std::filesystem::path& groups = "/sys/fs/cgroup");

} // namespace mesh::host
