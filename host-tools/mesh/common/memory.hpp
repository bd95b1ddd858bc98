// How much memory there is for the nodes of a rig, and how many processes may be started for them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace mesh::host {

/// Memory that can be used without swapping, within the limits of the control groups (version 2)
/// that this process is in, in kilobytes. The folders are those of the kernel, but in a test.
std::uint64_t available_kbyte(const std::filesystem::path& processes = "/proc",
                              const std::filesystem::path& groups = "/sys/fs/cgroup");

/// The limit of a user (ulimit -u), which the system asks of nobody who is root.
struct UserLimit {
    unsigned user = 0;
    std::uint64_t threads = 0;

    static UserLimit own();
};

/// Processes and threads that may be started, within the user's limit and those of the control
/// groups (version 2). The folders are those of the kernel, but in a test.
std::uint64_t available_threads(const UserLimit& limit,
                                const std::filesystem::path& processes = "/proc",
                                const std::filesystem::path& groups = "/sys/fs/cgroup");

} // namespace mesh::host
