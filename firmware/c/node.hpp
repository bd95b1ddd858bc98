// The C interface inside: the messages of a node that leave and come, between the calls of
// c/include/meshputer.h and the kernel's two processes that send and receive for them.
#pragma once

#include "c/include/meshputer.h"
#include "c/post_ring.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::c {

/// The program of such a node. Its workspace is the mesh_node.
Process serve(Kernel& kernel);

/// A message under way, in memory of the caller or of the ring.
class Letter : public Sending {
public:
    Letter(Kernel& kernel, NodeId to, Tag tag, std::span<const std::byte> data, mesh_fate* fate,
           bool is_posted)
        : Sending(kernel, to, {.tag = tag}, static_cast<std::uint32_t>(data.size()),
                  bytes_in(data)),
          fate_(fate),
          is_posted_(is_posted) {}

    /// Its next step. True: it has ended.
    bool step() {
        begun_ = true;
        return go_on();
    }
    /// Its status if it is given up now.
    Status given_up() const { return begun_ ? Status::in_doubt : Status::timed_out; }
    bool is_posted() const { return is_posted_; }
    mesh_fate* fate() const { return fate_; }

    Letter* next = nullptr;

private:
    mesh_fate* const fate_; // nullptr: nobody wants to know
    const bool is_posted_;
    bool begun_ = false;
};

/// A message in the ring, whose bytes lie behind it.
struct Posted {
    alignas(Letter) std::array<std::byte, sizeof(Letter)> letter; // when the owner has seen it
    mesh_fate* fate;
    NodeId to;
    std::uint32_t bytes;
    Tag tag;

    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(Posted) % PostRing::kCellBytes == 0 || alignof(Posted) == 4);
static_assert(sizeof(Posted) + PostRing::kCellBytes <= MESH_POST_BYTES);
static_assert(sizeof(Letter) <= sizeof(mesh_sending::library) &&
              alignof(Letter) <= alignof(std::uint64_t));

/// Where the room of mesh_receive() is.
enum class RoomOf : std::uint8_t {
    caller,
    library, // for the next message
    both,    // the caller is to be told what came
};

} // namespace mesh::c

/// A node as C sees it.
struct mesh_node {
    explicit mesh_node(std::span<std::byte> posts) : ring(posts) {}

    void begin(mesh::c::Letter& letter);
    void end(mesh::c::Letter** link, mesh::Status status);
    void take_posts();
    void go_on();

    mesh::Kernel* kernel = nullptr;
    mesh::c::PostRing ring;
    mesh::c::Letter* first = nullptr; // of all under way, in their order
    std::span<std::byte> room;
    mesh_received got{};
    mesh::c::RoomOf room_of = mesh::c::RoomOf::caller;
};
