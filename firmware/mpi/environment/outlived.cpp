// Functions in place of those of failures.cpp and of sessions.cpp, in a program that makes no call
// of these files. Each is weak, so that the other one of its name takes its place. A linker takes
// the first function that an archive has, so those files come last in it.
#include "mpi/collectives/parts.hpp"
#include "mpi/engine/under_way.hpp"

namespace mesh::mpi {

[[gnu::weak]] bool start_engine() { return start_processes(); }
[[gnu::weak]] void begin(Request& request) { begin_now(request); }
[[gnu::weak]] bool send_at_once(const Comm& comm, std::uint32_t context, const Type& type,
                                std::size_t count, const void* data, Rank to, int tag,
                                std::uint16_t meaning) {
    return send_now(comm, context, type, count, data, to, tag, meaning);
}
[[gnu::weak]] void compare(Request& request, const Envelope& envelope) {
    note_meaning(request, envelope);
}
[[gnu::weak]] int code_of_part(const Request& request, const char* call) {
    return disagreement_in(request, call);
}
[[gnu::weak]] void forget_revoked() {}
[[gnu::weak]] int meet_at_end(Comm& world, const char* call) { return meet_all(world, call); }
[[gnu::weak]] const char* words_of(int code) { return words_of_standard(code); }

[[gnu::weak]] void open_mpi() {
    start_mpi();
    the_life = Life::now;
}
[[gnu::weak]] void close_mpi() { the_life = Life::after; }

} // namespace mesh::mpi
