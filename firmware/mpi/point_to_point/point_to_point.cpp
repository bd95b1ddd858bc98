// Point to point: calls that wait for their message.
#include "mpi/engine/meaning.hpp"
#include "mpi/engine/under_way.hpp"
#include "mpi/point_to_point/status.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>

namespace mesh::mpi {

void tell(const Found& found, MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = found.source;
    status->MPI_TAG = found.tag;
    status->MPI_internal[2] = 0;
    tell_bytes(found.bytes, status);
}

void tell(const Request& request, MPI_Status* status) {
    const bool receives = request.kind == Request::Kind::receive;
    tell(Found{true, request.source, request.its_tag,
               receives ? std::min(request.bytes, request.capacity) : 0},
         status);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_internal[2] = request.is_cancelled ? 1 : 0;
}

void tell_nothing(MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE)
        return;
    *status = {};
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
}

void tell_bytes(std::uint64_t bytes, MPI_Status* status) {
    status->MPI_internal[0] = static_cast<int>(bytes & 0x7FFF'FFFF);
    status->MPI_internal[1] = static_cast<int>(bytes >> 31);
}

std::uint64_t bytes_told(const MPI_Status& status) {
    const std::uint64_t high = static_cast<std::uint32_t>(status.MPI_internal[1]);
    return high << 31 | static_cast<std::uint32_t>(status.MPI_internal[0]);
}

// The bytes are received all the same, as a cast in C would take them.
void tell_meaning(const Envelope& envelope, std::uint16_t ours, const Request& request) {
    std::array<char, 150> words;
    std::snprintf(words.data(), words.size(),
                  "rank %d sends %s of %d bytes with tag %d, and they are received as %s of %d "
                  "bytes",
                  static_cast<int>(envelope.source), name_of_meaning(envelope.meaning),
                  envelope.meaning & 0xFF, static_cast<int>(envelope.tag), name_of_meaning(ours),
                  ours & 0xFF);
    tell_mistake(request, words.data());
}

// It is told once, and looked for among the 64 receives that have waited for longest: a program may
// have thousands.
void tell_overlap(const Request& request) {
    constexpr unsigned kLooks = 64;
    static bool has_told = false;
    if (has_told || request.capacity == 0 || !request.type->is_dense())
        return;
    unsigned looks = 0;
    const Request* const other = *posted.find([&](const Request& one) {
        return ++looks > kLooks || (one.traffic == Traffic::messages && one.type->is_dense() &&
                                    one.place < request.place + request.capacity &&
                                    request.place < one.place + one.capacity);
    });
    if (other == nullptr || looks > kLooks)
        return;
    has_told = true;
    std::array<char, 80> words;
    std::snprintf(words.data(), words.size(), "two receives have one buffer, with tags %d and %d",
                  other->tag, request.tag);
    tell_mistake(request, words.data());
}

namespace {

int send(Checks& checks, Request::Mode mode, const void* data, int count, MPI_Datatype type,
         Rank to, int tag) {
    Comm& comm = checks.comm();
    if (mode == Request::Mode::standard && !is_strict() &&
        (to == MPI_PROC_NULL || send_at_once(comm, comm.context(Traffic::messages), *type_of(type),
                                             static_cast<std::size_t>(count), data, to, tag, 0)))
        return MPI_SUCCESS;
    Request request = asked(Request::Kind::send, data, count, type, to, tag, comm);
    request.mode = mode;
    begin(request);
    wait(request);
    return checks.end(request.error);
}

int recv(Checks& checks, void* data, int count, MPI_Datatype type, int from, int tag,
         MPI_Status* status) {
    Request request = asked(Request::Kind::receive, data, count, type, from, tag, checks.comm());
    begin(request);
    wait(request);
    tell(request, status);
    return checks.end(request.error);
}

void get_count(const Checks&, const MPI_Status* status, const Type& type, int* count) {
    const std::uint64_t bytes = bytes_told(*status);
    const std::uint64_t elements = type.size == 0 ? 0 : bytes / type.size;
    *count = elements * type.size == bytes && elements <= INT_MAX ? static_cast<int>(elements)
                                                                  : MPI_UNDEFINED;
}

int sendrecv(Checks& checks, const void* out, int out_count, MPI_Datatype out_type, int to,
             int out_tag, void* in, int in_count, MPI_Datatype in_type, int from, int in_tag,
             MPI_Status* status) {
    Request receive =
        asked(Request::Kind::receive, in, in_count, in_type, from, in_tag, checks.comm());
    Request request =
        asked(Request::Kind::send, out, out_count, out_type, to, out_tag, checks.comm());
    begin(receive);
    begin(request);
    wait(request);
    wait(receive);
    tell(receive, status);
    checks.end(request.error);
    return checks.end(receive.error);
}

int sendrecv_replace(Checks& checks, void* data, int count, MPI_Datatype type, int to, int out_tag,
                     int from, int in_tag, MPI_Status* status) {
    if (to == MPI_PROC_NULL) // else the data is checked
        return recv(checks, data, count, type, from, in_tag, status);
    const Type& its = *type_of(type);
    const std::size_t bytes = static_cast<std::size_t>(count) * its.size;
    const Room copy(bytes);
    pack(its, static_cast<std::size_t>(count), data, copy.data());
    return sendrecv(checks, copy.data(), static_cast<int>(bytes), MPI_BYTE, to, out_tag, data,
                    count, type, from, in_tag, status);
}

int probe(Checks& checks, int from, int tag, MPI_Status* status) {
    const Found found =
        from == MPI_PROC_NULL ? Found{true} : wait_to_find(checks.comm(), from, tag);
    if (!found.there)
        return checks.refuse(failure_of(checks.comm(), from), nullptr);
    tell(found, status);
    return MPI_SUCCESS;
}

void iprobe(Checks& checks, int from, int tag, int* flag, MPI_Status* status) {
    const Found found = from == MPI_PROC_NULL ? Found{true} : look(checks.comm(), from, tag);
    *flag = found.there;
    if (found.there)
        tell(found, status);
    else if (failure_of != nullptr && failure_of(checks.comm(), from) != MPI_SUCCESS)
        checks.refuse(failure_of(checks.comm(), from), nullptr);
}

} // namespace

} // namespace mesh::mpi

#include "doors/point_to_point.inc"
