#include "mpi/buffers/noted.hpp"

#include "mpi/engine/meaning.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#if MESH_NOTES

namespace mesh::mpi {

namespace {

/// A buffer as the compiler knows it: `bytes` from its begin, or kUnknown, and its `meaning` as
/// meaning_of() has it, 0: any.
struct Noted {
    std::size_t bytes = kUnknown;
    int meaning = 0;

    static constexpr std::size_t kUnknown = SIZE_MAX;
};
constexpr std::size_t kBuffersMax = 3; // of a call
std::array<Noted, kBuffersMax> noted;

/// The bytes from the begin of a buffer to the end of its last element.
std::int64_t bytes_of(const BufferArgument& given, const Type& type) {
    if (given.count <= 0)
        return 0;
    return type.size == 0 ? 0 : (given.count - 1) * type.extent + type.runs_end();
}

void check(Checks& checks, const BufferArgument& given, const Noted& its) {
    const Type* const type = type_of(given.type);
    if (type == nullptr || given.data == MPI_IN_PLACE || given.data == nullptr || checks.bad())
        return;
    std::array<char, 100> words;
    const int meaning = meaning_of(*type);
    if (its.bytes != Noted::kUnknown && bytes_of(given, *type) > std::int64_t(its.bytes)) {
        std::snprintf(words.data(), words.size(), "the buffer ends after %zu of %lld bytes",
                      its.bytes, static_cast<long long>(bytes_of(given, *type)));
        checks.refuse(MPI_ERR_COUNT, words.data());
    } else if (its.meaning != 0 && meaning != 0 && its.meaning != meaning) {
        std::snprintf(words.data(), words.size(),
                      "the buffer has %s of %d bytes, the datatype %s of %d",
                      name_of_meaning(its.meaning), its.meaning & 0xFF, name_of_meaning(meaning),
                      meaning & 0xFF);
        checks.refuse(MPI_ERR_TYPE, words.data());
    }
}

} // namespace

Checks& check_buffers(Checks& checks, std::initializer_list<BufferArgument> all) {
    const auto its = std::exchange(noted, {});
    if (is_strict())
        for (std::size_t at = 0; at < std::min(all.size(), its.size()); ++at)
            check(checks, all.begin()[at], its[at]);
    return checks;
}

} // namespace mesh::mpi

/// Called by mpi_buffers.h before a call of MPI.
extern "C" void mpi_note_buffer(int at, std::size_t bytes, int meaning) {
    using namespace mesh::mpi;
    if (at >= 0 && at < static_cast<int>(kBuffersMax))
        noted[static_cast<std::size_t>(at)] = {bytes, meaning};
}

#endif
