#include "c/node.hpp"

#include <algorithm>
#include <new>

using mesh::Kernel;
using mesh::NodeId;
using mesh::Status;
using mesh::c::Letter;
using mesh::c::Posted;
using mesh::c::RoomOf;

namespace {

constexpr mesh_status to_c(Status status) { return static_cast<mesh_status>(status); }
static_assert(to_c(Status::ok) == MESH_OK && to_c(Status::no_memory) == MESH_NO_MEMORY &&
              to_c(Status::unreachable) == MESH_UNREACHABLE &&
              to_c(Status::bad_argument) == MESH_BAD_ARGUMENT &&
              to_c(Status::truncated) == MESH_TRUNCATED && to_c(Status::failed) == MESH_FAILED &&
              to_c(Status::timed_out) == MESH_TIMED_OUT &&
              to_c(Status::no_verdict) == MESH_NO_VERDICT &&
              to_c(Status::tag_in_use) == MESH_TAG_IN_USE &&
              to_c(Status::in_doubt) == MESH_IN_DOUBT);
static_assert(MESH_CUBE == static_cast<int>(mesh::Topology::cube) &&
              MESH_UHC == static_cast<int>(mesh::Topology::uhc) &&
              MESH_STAR == static_cast<int>(mesh::Topology::star));
static_assert(MESH_TAG_MAX == mesh::kProgramTagMax);

mesh_node& node_of(Kernel& kernel) {
    return *reinterpret_cast<mesh_node*>(kernel.workspace().data());
}

bool is_valid(const mesh_node& node, std::uint32_t to, std::uint16_t tag, std::uint32_t bytes) {
    return to < node.kernel->nodes() && tag <= MESH_TAG_MAX &&
           bytes <= mesh::limits::kMessageBytesMax;
}

std::span<const std::byte> bytes_at(const void* data, std::uint32_t bytes) {
    return {static_cast<const std::byte*>(data), bytes};
}

void begin_fate(mesh_fate* fate) {
    if (fate != nullptr)
        fate->ended = false;
}

Letter& letter_in(std::byte* place) { return *std::launder(reinterpret_cast<Letter*>(place)); }

std::byte* place_of(mesh_sending& sending) {
    return reinterpret_cast<std::byte*>(&sending.library[0]);
}

constexpr mesh::Match kOffers{.service = mesh::Service::message};

// Gives the room back, with what came into it.
void give_back(mesh_node& node, Status status, const mesh::wire::PacketHeader& offer) {
    node.got = {.status = to_c(status),
                .source = index(offer.source),
                .bytes = offer.total_bytes,
                .tag = offer.tag};
    node.room_of = RoomOf::both;
}

// Waits anew for each message: that is what calls the nodes that hold some for this one.
mesh::Process take_messages(Kernel& kernel) {
    mesh_node& node = node_of(kernel);
    for (;;) {
        co_await kernel.wait_until([&node] { return node.room_of == RoomOf::library; });
        co_await kernel.wait_until([&kernel] { return kernel.has(kOffers); });
        const mesh::wire::PacketHeader offer = kernel.mailbox().find(kOffers)->header;
        if (offer.total_bytes > node.room.size()) {
            give_back(node, Status::truncated, offer);
            continue;
        }
        const mesh::Received received = co_await mesh::receive(kernel, node.room);
        give_back(node, received.status, offer);
    }
    co_return Status::ok;
}

} // namespace

mesh::Process mesh::c::serve(Kernel& kernel) {
    mesh_node& node = node_of(kernel);
    if (!kernel.spawn(take_messages(kernel)))
        co_return Status::no_memory;
    co_await kernel.wait_until([&node] {
        node.go_on();
        return false;
    });
    co_return Status::ok;
}

void mesh_node::begin(Letter& letter) {
    Letter** last = &first;
    while (*last != nullptr)
        last = &(*last)->next;
    *last = &letter;
    kernel->scheduler().touch();
}

void mesh_node::end(Letter** link, Status status) {
    Letter& letter = **link;
    *link = letter.next;
    mesh_fate* const fate = letter.fate();
    const bool is_posted = letter.is_posted();
    letter.~Letter();
    if (is_posted)
        ring.free(reinterpret_cast<std::byte*>(&letter));
    if (fate == nullptr)
        return;
    fate->status = static_cast<std::uint8_t>(status);
    std::atomic_thread_fence(std::memory_order_release);
    fate->ended = true;
}

void mesh_node::take_posts() {
    while (std::byte* const record = ring.next()) {
        Posted& posted = *reinterpret_cast<Posted*>(record);
        begin(*new (posted.letter.data()) Letter(*kernel, posted.to, posted.tag,
                                                 {posted.data(), posted.bytes}, posted.fate, true));
    }
}

void mesh_node::go_on() {
    take_posts();
    for (Letter** link = &first; *link != nullptr;) {
        Letter& letter = **link;
        if (letter.step())
            end(link, letter.await_resume());
        else
            link = &letter.next;
    }
}

mesh_status mesh_send(mesh_node* node, mesh_sending* sending, std::uint32_t to, std::uint16_t tag,
                      const void* data, std::uint32_t bytes) {
    if (!is_valid(*node, to, tag, bytes))
        return MESH_BAD_ARGUMENT;
    node->take_posts(); // which were there before
    begin_fate(&sending->fate);
    node->begin(*new (place_of(*sending)) Letter(*node->kernel, mesh::node_at(to), tag,
                                                 bytes_at(data, bytes), &sending->fate, false));
    return MESH_OK;
}

mesh_status mesh_broadcast(mesh_node* node, mesh_sending* sendings, std::uint16_t tag,
                           const void* data, std::uint32_t bytes) {
    if (!is_valid(*node, 0, tag, bytes))
        return MESH_BAD_ARGUMENT;
    for (std::uint32_t to = 0; to < node->kernel->nodes(); ++to)
        if (to != index(node->kernel->id()))
            static_cast<void>(mesh_send(node, sendings++, to, tag, data, bytes)); // it is valid
    return MESH_OK;
}

void mesh_give_up(mesh_node* node, mesh_sending* sending) {
    Letter** link = &node->first;
    while (*link != nullptr && (*link)->fate() != &sending->fate)
        link = &(*link)->next;
    if (*link != nullptr)
        node->end(link, letter_in(place_of(*sending)).given_up());
}

bool mesh_receive(mesh_node* node, void* room, std::size_t room_bytes, mesh_received* got) {
    const std::span<std::byte> given{static_cast<std::byte*>(room), room_bytes};
    if (node->room_of == RoomOf::caller) {
        node->room = given;
        node->room_of = RoomOf::library;
        node->kernel->scheduler().touch();
        return false;
    }
    if (node->room.data() != given.data() || node->room.size() != given.size()) {
        *got = {};
        got->status = MESH_BAD_ARGUMENT;
        return true;
    }
    if (node->room_of == RoomOf::library)
        return false;
    *got = node->got;
    node->room_of = RoomOf::caller;
    return true;
}

mesh_status mesh_post(mesh_node* node, mesh_fate* fate, std::uint32_t to, std::uint16_t tag,
                      const void* data, std::uint32_t bytes) {
    if (!is_valid(*node, to, tag, bytes) || !node->ring.fits(sizeof(Posted) + bytes))
        return MESH_BAD_ARGUMENT;
    std::byte* const record = node->ring.reserve(sizeof(Posted) + bytes);
    if (record == nullptr)
        return MESH_NO_MEMORY;
    begin_fate(fate);
    Posted& posted = *reinterpret_cast<Posted*>(record);
    posted.fate = fate;
    posted.to = mesh::node_at(to);
    posted.bytes = bytes;
    posted.tag = tag;
    std::ranges::copy(bytes_at(data, bytes), posted.data());
    mesh::c::PostRing::publish(record);
    return MESH_OK;
}

void mesh_look(const mesh_node* node, mesh_state* state) {
    const Kernel& kernel = *node->kernel;
    *state = {.node = index(kernel.id()),
              .nodes = kernel.nodes(),
              .ports = kernel.ports(),
              .dead_ports = kernel.dead_ports(),
              .under_way = 0};
    for (const Letter* letter = node->first; letter != nullptr; letter = letter->next)
        ++state->under_way;
}
