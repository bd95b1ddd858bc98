// The job of a user's program, beyond the part that all ops share: the bytes of
// wire::Job::parameters.
#pragma once

#include "core/base/rules.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>

namespace mesh::wire {

struct AppParameters {
    std::uint32_t ranks = 0;   // nodes that a main() runs on, from node 0 on; 0: all
    Rule tree = Rule::unicast; // of MPI_Bcast() to all nodes; unicast: the network's usual one
};

/// The parameters behind those, for programs that read files.
struct FileParameters {
    std::uint32_t list_bytes = 0;      // of the list of files; 0: the run has none
    std::uint32_t unread_terminal = 0; // 1: at standard input, which is not the input of the run
};

static_assert(sizeof(AppParameters) + sizeof(FileParameters) <= kJobParameterBytes);

/// The value of time() when a program begins, in seconds: a date, so that srand(time(NULL) * rank)
/// gives each rank numbers of its own, and by the seed of the run, so that they come again.
constexpr std::uint32_t date_of(std::uint64_t seed) {
    constexpr std::uint32_t kBegin = 1'700'000'000, kSecondsInYear = 31'536'000;
    return kBegin + static_cast<std::uint32_t>(seed % kSecondsInYear);
}

/// Where the files of `mesh run --files` lie: a node pulls them, as it does the input, from this
/// position on, where no input reaches. First comes their list, a FileEntry and a name for each.
inline constexpr std::uint32_t kFilesAt = 1u << 30;

struct FileEntry {
    std::uint32_t position; // of its first byte
    std::uint32_t bytes;
    std::uint32_t name_bytes; // of the name that follows: its path in the folder
};

} // namespace mesh::wire
