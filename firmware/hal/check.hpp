// CHECK: always on, for promises that a program or the firmware itself must keep; input from
// outside never reaches one.
#pragma once

#include <cstdint>

namespace mesh {

// The promise that was broken, in three kinds; the crash record has its number, and the host tool
// the words for a person (boards/host/check_words.hpp).

/// Invariants of kernel and library: a broken one is a defect of the firmware.
enum class Invariant : std::uint32_t {
    pool_double_free = 1,
    pool_bad_buffer,
    arena_bad_free,
    transmit_while_busy,
    critical_section_out_of_balance,
    link_window_overrun,
    link_queue_broken,
    take_without_packet,
    no_receive_buffer,
    job_not_there,
    answer_to_no_question,
    blocks_cut_short,
};

/// The ways in which a program gives up or breaks off; boards report them in the same way.
enum class ProgramEnd : std::uint32_t {
    program_aborted = 64,
    program_exited,
    assertion_failed,
    program_endless,
    index_out_of_bounds,
    exception_thrown,
    other_process,
    prints_without_node,
    frame_written_after_end,
    // Of the heap of a program that has a main() (hal/heap.hpp).
    heap_overrun,
    heap_freed_twice,
    heap_no_block,
    // Of a simulation, where the memory of a program has pages behind it that nobody may touch.
    beyond_globals,
    beyond_heap,
    beyond_stack,
    beyond_arena,
    stack_array_overrun,
};

/// Mistakes of those who write programs, or put an image on a board.
enum class Misuse : std::uint32_t {
    // The image or its board is not the right one.
    network_not_linked = 128,
    too_many_nodes,
    no_such_node,
    // Calls of the library that cannot be meant.
    channel_two_writers,
    channel_two_readers,
    no_such_place,
    request_waited_twice,
    waits_for_nothing,
    message_at_its_end,
    no_such_port,
    request_lost,
    tag_of_library,
    joins_nothing,
    task_awaited_twice,
    task_moved_from,
    no_guard_counts,
    channel_of_other_type,
    channel_without_writer,
    interrupt_in_lockstep,
    interrupt_not_free,
    // Seen in simulations only (hal/notes.hpp).
    message_of_other_type,
    channel_has_gone,
    value_never_set,
    alt_takes_nothing,
    probes_without_wait,
    reference_to_temporary,
};

/// Any of them, by its number.
struct CheckId {
    // Each of them is one.
    constexpr CheckId(Invariant broken) : number(static_cast<std::uint32_t>(broken)) {}
    constexpr CheckId(ProgramEnd end) : number(static_cast<std::uint32_t>(end)) {}
    constexpr CheckId(Misuse mistake) : number(static_cast<std::uint32_t>(mistake)) {}
    /// Of a crash record.
    explicit constexpr CheckId(std::uint32_t of_record) : number(of_record) {}
    constexpr bool operator==(const CheckId&) const = default;

    std::uint32_t number;
};

/// For MESH_CHECK, which is given the name alone.
namespace checks {
using enum Invariant;
using enum ProgramEnd;
using enum Misuse;
} // namespace checks

/// Defined once by each board: stops the node with `id` as the cause.
[[noreturn]] void check_failed(CheckId id);
/// The same for a function that a program calls: the cause is where `after` returns to.
[[noreturn]] void check_failed(CheckId id, const void* after);

} // namespace mesh

#define MESH_CHECK(condition, id)                                                                  \
    do {                                                                                           \
        if (!(condition)) [[unlikely]]                                                             \
            ::mesh::check_failed(::mesh::checks::id);                                              \
    } while (false)
