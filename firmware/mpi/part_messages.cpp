// The messages that collectives are made of, and requests that nobody waits for.
#include "mpi/under_way.hpp"

#include <utility>

namespace mesh::mpi {

namespace {

Request part_of(Comm& comm, Request::Kind kind, const std::byte* data, std::size_t bytes, Rank peer,
                int tag) {
    Request request;
    request.kind = kind;
    request.comm = &comm;
    request.traffic = Traffic::collectives;
    request.peer = peer;
    request.tag = tag;
    request.type = type_of(MPI_BYTE);
    request.count = static_cast<int>(bytes);
    request.data = const_cast<std::byte*>(data);
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

void send_part(Comm& comm, std::span<const std::byte> bytes, Rank to, int tag) {
    Request request = part_of(comm, Request::Kind::send, bytes.data(), bytes.size(), to, tag);
    begin(request);
    wait(request);
}

void receive_part(Comm& comm, std::span<std::byte> bytes, Rank from, int tag) {
    Request request = part_of(comm, Request::Kind::receive, bytes.data(), bytes.size(), from, tag);
    begin(request);
    wait(request);
}

void exchange_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                    std::span<std::byte> theirs, Rank from, int tag) {
    Request receive =
        part_of(comm, Request::Kind::receive, theirs.data(), theirs.size(), from, tag);
    Request send = part_of(comm, Request::Kind::send, mine.data(), mine.size(), to, tag);
    begin(receive);
    begin(send);
    wait(send);
    wait(receive);
}

} // namespace mesh::mpi
