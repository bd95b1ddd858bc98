// CHECK: always on, for our own bugs only; input from outside never reaches one.
#pragma once

#include <cstdint>

namespace mesh {

/// Which check failed; the fault record carries the number.
enum class CheckId : std::uint32_t {
    pool_double_free = 1,
    pool_bad_buffer,
    arena_bad_free,
    link_queue_overflow,
    channel_two_writers,
    channel_two_readers,
    process_resumed_twice,
    out_of_processes,
    transmit_while_busy,
    unhandled_frame_kind,
    network_not_linked,
    notice_queue_full,
    no_such_node, // the address that the board was given
    link_window_overrun,
    link_queue_broken,
    take_without_packet,
    no_receive_buffer,
};

/// Defined once by each board: stops the node with `id` as the cause.
[[noreturn]] void check_failed(CheckId id);

} // namespace mesh

#define MESH_CHECK(condition, id)                                                                  \
    do {                                                                                           \
        if (!(condition)) [[unlikely]]                                                             \
            ::mesh::check_failed(::mesh::CheckId::id);                                             \
    } while (false)
