#include "mpi/engine/engine.hpp"

#include "fiber/fiber.hpp"
#include "kernel/api/message.hpp"
#include "library/words.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/engine/envelope.hpp"
#include "mpi/engine/meaning.hpp"
#include "mpi/engine/under_way.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

namespace mesh::mpi {

namespace {

// A program with a main() has no messages of the kernel's own, so all tags are free.
constexpr Tag kEnvelopeTag = 1;
constexpr Tag kDataTag = 2;

std::uint32_t eager_bytes_max() {
    return wire::payload_bytes_max() - static_cast<std::uint32_t>(sizeof(Envelope));
}

/// Envelopes that one node may have under way; then its program waits for the oldest to be taken.
constexpr unsigned kLettersMax = 64;

// Messages that go out ----------------------------------------------------------------------------

/// A message of the kernel under way. Its bytes lie behind it, or in the program's memory.
class Letter : public Sending {
public:
    Letter(NodeId to, Tag tag, std::span<const std::byte> its_bytes, wire::ModelTime when)
        : Sending(fiber::node(), to, {.tag = tag}, static_cast<std::uint32_t>(its_bytes.size()),
                  bytes_in(its_bytes)),
          clock(when),
          receiver(to),
          bytes(static_cast<std::uint32_t>(its_bytes.size())) {}

    bool step() { return go_on(); }

    Letter* next = nullptr;
    wire::ModelTime clock; // of the process that makes its steps
    NodeId receiver;
    std::uint32_t bytes;
    Request* request = nullptr; // whose data it is
};

Queue<Letter> letters;
unsigned letter_count = 0;
std::uint32_t announced_count = 0;

std::byte* behind(void* place) { return static_cast<std::byte*>(place) + sizeof(Letter); }

bool takes(std::uint32_t context, Rank source, int tag, const Envelope& envelope) {
    return context == envelope.context && (source == MPI_ANY_SOURCE || source == envelope.source) &&
           (tag == MPI_ANY_TAG || tag == envelope.tag);
}

void lose(const char* why) {
    std::printf("MPI: %s\n", why);
    mesh::end_run(fiber::node(), "MPI: a message is lost");
}

} // namespace

[[gnu::weak]] void lose_node(NodeId /*node*/, Request* /*request*/) {
    lose("a node does not answer");
}

Queue<Request> announced;
Queue<Request> posted;
Queue<Unexpected> unexpected;
Queue<Request> expected;

Unexpected** find_unexpected(std::uint32_t context, Rank source, int tag) {
    return unexpected.find(
        [=](const Unexpected& block) { return takes(context, source, tag, block.envelope); });
}

void* room_for_letter(std::size_t bytes) { return mesh_malloc(sizeof(Letter) + bytes); }

void has_left(Request& request, std::uint32_t bytes, wire::ModelTime when) {
    request.moved += bytes;
    request.clock = std::max(request.clock, when);
    if (request.moved < request.bytes)
        return;
    request.room = Room{};
    request.is_done = true;
    if (request.is_ours)
        leave_to_engine(request);
}

namespace {

/// Makes a step of a letter by its own clock. True: it has been taken.
bool step(Letter& letter) {
    wire::ModelTime& clock = fiber::node().scheduler().clock();
    const wire::ModelTime ours = std::exchange(clock, letter.clock);
    const bool taken = letter.step();
    letter.clock = std::exchange(clock, ours);
    return taken;
}

void end_letter(Letter& letter) {
    if (letter.await_resume() != Status::ok)
        lose_node(letter.receiver, letter.request);
    if (letter.request != nullptr)
        has_left(*letter.request, letter.bytes, letter.clock);
    --letter_count;
    destroy(&letter);
    fiber::node().scheduler().touch(); // for the program
}

/// Sends a letter, within the critical section in which it was made.
void post(Letter& letter) {
    ++letter_count;
    if (step(letter))
        end_letter(letter);
    else
        letters.push(letter);
}

bool send_letters(Waiting&) {
    for (Letter** link = letters.begin(); *link != nullptr;) {
        if (!step(**link))
            link = &(*link)->next;
        else
            end_letter(*letters.take(link));
    }
    return false;
}

} // namespace

void* program_memory(std::size_t bytes) {
    if (letter_count >= kLettersMax)
        fiber::await(fiber::node().wait_until([] { return letter_count < kLettersMax; }));
    void* place = room_for_letter(bytes);
    while (place == nullptr && letter_count != 0) {
        const unsigned before = letter_count;
        fiber::await(fiber::node().wait_until([before] { return letter_count < before; }));
        place = room_for_letter(bytes);
    }
    if (place == nullptr)
        end_run("no memory for a message: free() some, or send less at a time", MPI_ERR_NO_MEM);
    return place;
}

void post_envelope(void* place, NodeId to, const Envelope& envelope, std::size_t data_bytes,
                   wire::ModelTime when) {
    const CriticalSection section(fiber::node().scheduler().critical_depth());
    std::memcpy(behind(place), &envelope, sizeof envelope);
    const std::span<const std::byte> bytes{behind(place), sizeof envelope + data_bytes};
    post(*new (place) Letter(to, kEnvelopeTag, bytes, when));
}

namespace {

// Messages that come in ---------------------------------------------------------------------------

bool said_full = false;

void finish_receive(Request& request, wire::ModelTime when) {
    request.clock = std::max(request.clock, when);
    if (request.room)
        unpack(*request.type, static_cast<std::size_t>(request.count), request.place,
               std::min(request.bytes, request.capacity), request.data);
    request.room = Room{};
    if (request.bytes > request.capacity)
        request.error = MPI_ERR_TRUNCATE;
    request.is_done = true;
    if (request.is_ours)
        leave_to_engine(request);
    fiber::node().scheduler().touch();
}

void put(Request& request, std::uint32_t position, std::span<const std::byte> data) {
    if (position >= request.capacity)
        return;
    const std::size_t fits = std::min<std::size_t>(data.size(), request.capacity - position);
    std::copy_n(data.data(), fits, request.place + position);
}

/// A receive and an envelope have found each other. False: no memory for the answer, nothing done.
bool meet(Request& request, const Envelope& envelope, NodeId from, wire::ModelTime ready,
          std::span<const std::byte> data) {
    void* place = nullptr;
    if (envelope.what == Envelope::What::announced) {
        place = room_for_letter(sizeof envelope);
        if (place == nullptr)
            return false;
    }
    request.source = envelope.source;
    request.its_tag = envelope.tag;
    request.bytes = envelope.bytes;
    compare(request, envelope);
#if MESH_NOTES
    if (tell_changed != nullptr)
        tell_changed(request);
#endif
    if (place == nullptr) {
        put(request, 0, data);
        finish_receive(request, ready);
        return true;
    }
    request.node = from;
    const wire::ModelTime when = request.clock = std::max(request.clock, ready);
    const Envelope go{Envelope::What::go, 0, 0, 0, 0, 0, envelope.number};
    if (envelope.bytes != 0)
        expected.push(request);
    else
        finish_receive(request, ready); // the request may be gone then
    post_envelope(place, from, go, 0, when);
    return true;
}

/// The data of an announced send goes, in parts of at most one message of the kernel.
void send_data(Request& request, wire::ModelTime when) {
    const CriticalSection section(fiber::node().scheduler().critical_depth());
    if (request.bytes == 0) { // the request may be gone then
        has_left(request, 0, when);
        return fiber::node().scheduler().touch();
    }
    const std::span<const std::byte> all{request.place, request.bytes};
    for (std::size_t position = 0; position < all.size(); position += limits::kMessageBytesMax) {
        const std::size_t bytes =
            std::min<std::size_t>(all.size() - position, limits::kMessageBytesMax);
        void* const place = room_for_letter(0);
        if (place == nullptr)
            return lose("no memory to send a large message");
        auto* const letter =
            new (place) Letter(request.node, kDataTag, all.subspan(position, bytes), when);
        letter->request = &request;
        post(*letter);
    }
    fiber::node().scheduler().touch();
}

/// Takes an envelope and its data. False: there is no memory for it, nothing was done.
bool take(NodeId from, std::span<const std::byte> bytes, wire::ModelTime ready) {
    Envelope envelope{};
    std::memcpy(&envelope, bytes.data(), std::min(bytes.size(), sizeof envelope));
    const auto data = bytes.subspan(std::min(bytes.size(), sizeof envelope));
    if (envelope.what == Envelope::What::take_back)
        return give_back(envelope, from, ready);
    if (envelope.what == Envelope::What::taken_back) {
        end_cancelled(envelope.number, ready);
        return true;
    }
    if (envelope.what == Envelope::What::go) {
        Request* const request = announced.take_first(
            [&envelope](const Request& other) { return other.number == envelope.number; });
        if (request != nullptr)
            send_data(*request, std::max(ready, request->clock));
        return true;
    }
    Request** const link = posted.find([&envelope](const Request& request) {
        return takes(request.context, request.peer, request.tag, envelope);
    });
    if (*link != nullptr) {
        // The request leaves the queue before it is done: the program may go on, and begin it
        // again.
        Request* const request = *link;
        posted.take(link);
        if (meet(*request, envelope, from, ready, data))
            return true;
        posted.put_back(link, *request);
        return false;
    }
    void* const place = mesh_malloc(sizeof(Unexpected) + data.size());
    if (place == nullptr)
        return false;
    auto* const block = new (place)
        Unexpected{{}, nullptr, envelope, from, ready, static_cast<std::uint32_t>(data.size())};
    std::ranges::copy(data, block->data());
    unexpected.push(*block);
    fiber::node().scheduler().touch(); // for a program that looks for it
    return true;
}

/// Takes envelopes. Without memory it waits, and all senders wait with it.
Process receive_envelopes(Kernel& kernel) {
    for (;;) {
        Message message = co_await receive_message(kernel, kAnySource, kEnvelopeTag);
        const Packet packet = co_await next(kernel, message);
        if (!packet)
            continue; // its sender gave it up
        while (!take(message.source(), packet.payload(), packet.ready())) {
            if (!std::exchange(said_full, true))
                std::printf("MPI: no memory for messages that nobody receives; waiting for some\n");
            const std::uint64_t again = kernel.deadline_in(wire::kTicksPerUnit);
            co_await kernel.wait_until([&kernel, again] { return kernel.due(again); }, again);
        }
    }
}

/// Takes the data of large messages, one after the other. The data of one sender comes in the order
/// in which it was called for.
Process receive_data(Kernel& kernel) {
    for (;;) {
        Message message = co_await receive_message(kernel, kAnySource, kDataTag);
        Request** const link = expected.find(
            [&message](const Request& request) { return request.node == message.source(); });
        Request* request = *link;
        if (request == nullptr) {
            lose("data that nobody called for");
            co_return Status::failed;
        }
        while (!message.at_end()) {
            const Packet packet = co_await next(kernel, message);
            if (!packet) {
                lose_node(message.source(), nullptr);
                request = nullptr; // it has gone, if the run goes on
                break;
            }
            put(*request, request->moved, packet.payload());
            request->moved += static_cast<std::uint32_t>(packet.payload().size());
            request->clock = std::max(request->clock, packet.ready());
        }
        if (request == nullptr || request->moved < request->bytes)
            continue;
        expected.take_first([request](const Request& other) { return &other == request; });
        finish_receive(*request, request->clock);
    }
}

std::int32_t told_tag(Traffic traffic, int tag) {
    return traffic == Traffic::messages ? tag : Awaited::kOfCollectives - tag;
}

} // namespace

bool send_now(const Comm& comm, std::uint32_t context, const Type& type, std::size_t count,
              const void* data, Rank to, int tag, std::uint16_t meaning) {
    const auto bytes = static_cast<std::uint32_t>(count) * type.size;
    if (bytes > eager_bytes_max() || (failure_of != nullptr && failure_of(comm, to) != MPI_SUCCESS))
        return false;
    const wire::ModelTime when = fiber::node().now();
    const Envelope envelope =
        envelope_of(Envelope::What::eager, comm, context, type, meaning, tag, bytes, 0);
    void* const place = program_memory(sizeof envelope + bytes);
    pack(type, count, data, behind(place) + sizeof envelope);
    post_envelope(place, comm.peers->node(to), envelope, bytes, when);
    return true;
}

namespace {

void begin_send(Request& request) {
    request.bytes = static_cast<std::uint32_t>(request.count) * request.type->size;
    request.node = request.comm->peers->node(request.peer);
    const auto count = static_cast<std::size_t>(request.count);
    const bool waits = request.mode == Request::Mode::synchronous ||
                       (request.mode == Request::Mode::standard &&
                        request.traffic == Traffic::messages && is_strict());
    if (!waits && send_at_once(*request.comm, request.context, *request.type, count, request.data,
                               request.peer, request.tag, request.meaning)) {
        request.is_done = true;
        return;
    }
    if (request.mode == Request::Mode::buffered)
        return send_copy(request);
    request.place = request.data;
    if (!request.type->is_dense()) {
        request.room = Room(request.bytes);
        request.place = request.room.data();
        pack(*request.type, count, request.data, request.place);
    }
    request.number = ++announced_count;
    const Envelope envelope =
        envelope_of(Envelope::What::announced, *request.comm, request.context, *request.type,
                    request.meaning, request.tag, request.bytes, request.number);
    announced.push(request);
    post_envelope(program_memory(sizeof envelope), request.node, envelope, 0, request.clock);
}

// Few programs use both begin_receive() and begin(request, message), so their common parts are
// inlined into each.

[[gnu::always_inline]] inline void prepare_to_receive(Request& request) {
    request.capacity = static_cast<std::uint32_t>(request.count) * request.type->size;
    request.place = request.data;
    if (!request.type->is_dense()) {
        request.room = Room(request.capacity);
        request.place = request.room.data();
    }
}

/// Receives a message that has come, and is no longer in the engine.
[[gnu::always_inline]] inline void receive(Request& request, Unexpected* block) {
    const bool met = meet(request, block->envelope, block->from, block->ready,
                          {block->data(), block->data_bytes});
    destroy(block);
    if (!met)
        end_run("no memory to receive a message", MPI_ERR_NO_MEM);
}

void begin_receive(Request& request) {
    request.node = peer_node(*request.comm, request.peer);
    prepare_to_receive(request);
    if (request.traffic == Traffic::messages && tell_overlap != nullptr)
        tell_overlap(request);
    Unexpected** const link = find_unexpected(request.context, request.peer, request.tag);
    if (*link == nullptr)
        return posted.push(request);
    receive(request, unexpected.take(link));
}

[[gnu::always_inline]] inline void clear(Request& request) {
    request.next = nullptr;
    request.is_active = true;
    request.is_done = request.is_cancelled = false;
    request.source = MPI_PROC_NULL;
    request.its_tag = MPI_ANY_TAG;
    request.error = MPI_SUCCESS;
    request.bytes = request.moved = 0;
    request.its_meaning = 0;
    request.clock = fiber::node().now();
    request.context = request.comm->context(request.traffic);
}

} // namespace

static Awaited awaited(const Request& request) {
    const bool is_send = request.kind == Request::Kind::send;
    return {.node = request.node,
            .tag = told_tag(request.traffic, request.tag),
            .is_send = is_send ? 1u : 0u};
}

bool start_processes() {
    Kernel& kernel = fiber::node();
    return kernel.spawn_alone(receive_envelopes(kernel)) &&
           kernel.spawn_alone(receive_data(kernel)) &&
           kernel.spawn_alone(always<send_letters>(kernel));
}

void begin_now(Request& request) {
    clear(request);
    if (request.peer == MPI_PROC_NULL)
        request.is_done = true;
    else if (request.kind == Request::Kind::send)
        begin_send(request);
    else
        begin_receive(request);
}

// The request may be gone when a process waits once more.
void wait(Request& request) {
    const bool is_own = request.node == fiber::node().id();
    if (!request.is_done)
        fiber::await(fiber::node().wait_until(RequestDone{&request, awaited(request)}));
    take_clock(request);
    if (is_own && let_others_change != nullptr)
        let_others_change();
}

void drain_engine() {
    forget_revoked();
    while (const Request* const send = *announced.begin())
        fiber::await(fiber::node().wait_until(RequestDone{send, awaited(*send), true}));
    fiber::await(fiber::node().wait_until([] { return letter_count == 0; }));
}

void begin(Request& request, Unexpected* message) {
    clear(request);
    prepare_to_receive(request);
    receive(request, message);
}

} // namespace mesh::mpi
