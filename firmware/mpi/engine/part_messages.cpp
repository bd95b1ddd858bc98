// The messages of collectives, and requests that the program has given up.
#include "fiber/fiber.hpp"
#include "mpi/engine/meaning.hpp"
#include "mpi/engine/under_way.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace mesh::mpi {

Request asked(Request::Kind kind, const void* data, int count, MPI_Datatype type, Rank peer,
              int tag, Comm& comm, Traffic traffic) {
    Request request;
    request.kind = kind;
    request.comm = &comm;
    request.traffic = traffic;
    request.peer = peer;
    request.tag = tag;
    request.type = type_of(peer == MPI_PROC_NULL ? MPI_BYTE : type);
    request.count = peer == MPI_PROC_NULL ? 0 : count;
    request.data = static_cast<std::byte*>(const_cast<void*>(data));
    return request;
}

namespace {

Request part_of(Comm& comm, Request::Kind kind, const std::byte* data, std::size_t bytes, Rank peer,
                const PartKind& part) {
    Request request = asked(kind, data, static_cast<int>(bytes), MPI_BYTE, peer, part.tag, comm,
                            Traffic::collectives);
    request.meaning = part.meaning;
    return request;
}

} // namespace

void leave_to_engine(Request& request) {
    if (!request.is_done) {
        request.is_ours = true;
        return;
    }
    release(request.type);
    if (request.owns_comm)
        release(*request.comm);
    destroy(&request);
}

void note_meaning(Request& request, const Envelope& envelope) {
    const std::uint16_t ours = meaning_in(request.context, *request.type, request.meaning);
    const bool differs = ours != 0 && envelope.meaning != 0 && ours != envelope.meaning;
    request.its_meaning = differs && envelope.bytes != 0 ? envelope.meaning : std::uint16_t{0};
    if (request.its_meaning != 0 && request.traffic == Traffic::messages)
        tell_meaning(envelope, ours, request);
}

bool give_back(const Envelope& asked, NodeId from, wire::ModelTime ready) {
    Unexpected** const link = unexpected.find([&asked, from](const Unexpected& block) {
        return block.envelope.what == Envelope::What::announced && block.from == from &&
               block.envelope.number == asked.number;
    });
    if (*link == nullptr)
        return true;
    void* const place = room_for_letter(sizeof asked);
    if (place == nullptr)
        return false;
    destroy(unexpected.take(link));
    Envelope answer = asked;
    answer.what = Envelope::What::taken_back;
    post_envelope(place, from, answer, 0, ready);
    return true;
}

void send_room(Comm& comm, Traffic traffic, Room room, std::size_t bytes, Rank to, int tag) {
    auto* const request = make<Request>();
    if (request == nullptr)
        end_run("no memory to send a copy of data", MPI_ERR_NO_MEM);
    request->comm = &comm;
    request->traffic = traffic;
    request->peer = to;
    request->tag = tag;
    request->type = type_of(MPI_BYTE);
    request->count = static_cast<int>(bytes);
    request->data = room.data();
    request->room = std::move(room);
    begin(*request);
    leave_to_engine(*request);
}

void send_copy(Request& request) {
    Room room(request.bytes);
    pack(*request.type, static_cast<std::size_t>(request.count), request.data, room.data());
    send_room(*request.comm, request.traffic, std::move(room), request.bytes, request.peer,
              request.tag);
    request.is_done = true;
}

void take_clock(const Request& request) { fiber::node().advance_clock(request.clock); }

void pass_time() { fiber::await(fiber::node().sleep(wire::kTicksPerUnit / 100)); }

Request* part_under_way(const Comm& comm, Rank from, int least_tag) {
    const auto is_it = [&comm, from, least_tag](const Request& request) {
        return request.comm == &comm && request.traffic == Traffic::collectives &&
               (from == MPI_ANY_SOURCE || request.peer == from) && request.tag >= least_tag;
    };
    Request* const waiting = *posted.find(is_it);
    return waiting != nullptr ? waiting : *expected.find(is_it);
}

void send_part(Comm& comm, std::span<const std::byte> bytes, Rank to, const PartKind& part) {
    Request request = part_of(comm, Request::Kind::send, bytes.data(), bytes.size(), to, part);
    begin(request);
    wait(request);
}

int receive_part(Comm& comm, std::span<std::byte> bytes, Rank from, const PartKind& part) {
    Request request = part_of(comm, Request::Kind::receive, bytes.data(), bytes.size(), from, part);
    begin(request);
    wait(request);
    return code_of_part(request, part.call);
}

Request swap_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                   std::span<std::byte> theirs, Rank from, const PartKind& part) {
    Request receive =
        part_of(comm, Request::Kind::receive, theirs.data(), theirs.size(), from, part);
    Request send = part_of(comm, Request::Kind::send, mine.data(), mine.size(), to, part);
    begin(receive);
    begin(send);
    wait(send);
    wait(receive);
    return receive;
}

int exchange_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                   std::span<std::byte> theirs, Rank from, const PartKind& part) {
    return code_of_part(swap_parts(comm, mine, to, theirs, from, part), part.call);
}

int disagreement_in(const Request& request, const char* call) {
    const bool is_whole = request.bytes == request.capacity || request.peer == MPI_PROC_NULL;
    if (request.kind == Request::Kind::send || (is_whole && request.its_meaning == 0))
        return MPI_SUCCESS;
    std::array<char, 80> words;
    if (request.its_meaning != 0) {
        const bool is_root = Agreed::has_other_root(request.meaning, request.its_meaning);
        const bool is_op = Agreed::has_other_operation(request.meaning, request.its_meaning);
        std::snprintf(words.data(), words.size(), "rank %d has another %s", request.source,
                      is_root ? "root"
                      : is_op ? "operation"
                              : "datatype");
    } else {
        std::snprintf(words.data(), words.size(), "rank %d gives %u bytes where %u are expected",
                      request.source, static_cast<unsigned>(request.bytes),
                      static_cast<unsigned>(request.capacity));
    }
    const int code = request.its_meaning != 0 ? MPI_ERR_ARG : MPI_ERR_TRUNCATE;
    return fail(request.comm, code, call, words.data());
}

} // namespace mesh::mpi
