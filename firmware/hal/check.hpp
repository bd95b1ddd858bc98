// CHECK: always on, for promises that a program or the firmware itself must keep; input from
// outside never reaches one.
#pragma once

#include <cstdint>
#include <string_view>

namespace mesh {

/// The promise that was broken; the crash record carries the number.
enum class CheckId : std::uint32_t {
    pool_double_free = 1,
    pool_bad_buffer,
    arena_bad_free,
    channel_two_writers,
    channel_two_readers,
    transmit_while_busy,
    network_not_linked,
    too_many_nodes,
    critical_section_out_of_balance,
    no_such_node,
    link_window_overrun,
    link_queue_broken,
    take_without_packet,
    no_receive_buffer,
    no_such_place,
    request_waited_twice,
    waits_for_nothing,
    job_not_there,
    answer_to_no_question,
    message_at_its_end,
    no_such_port,
    blocks_cut_short,
    request_lost,
    // Ways in which a program gave up; boards report them in the same way.
    program_aborted,
    program_exited,
    assertion_failed,
    program_endless,
    index_out_of_bounds,
    exception_thrown,
    other_process,
    prints_without_node,
    frame_written_after_end,
    // Calls of the library that cannot be meant.
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
    // Of the heap of a program that has a main() (hal/heap.hpp).
    heap_overrun,
    heap_freed_twice,
    heap_no_block,
    // A simulation again, where the memory of a program has pages behind it that nobody may touch.
    beyond_globals,
    beyond_heap,
    beyond_stack,
    beyond_arena,
    stack_array_overrun,
};

/// The fault in words, for a person.
// NOLINTNEXTLINE(readability-function-size): one line or two for each
constexpr std::string_view words_of(CheckId id) {
    switch (id) {
    case CheckId::pool_double_free: return "a packet was released twice";
    case CheckId::pool_bad_buffer: return "a packet was used that had been released";
    case CheckId::arena_bad_free:
        return "memory of a coroutine was released twice, or was never its own";
    case CheckId::channel_two_writers: return "two processes write to one channel at a time";
    case CheckId::channel_two_readers: return "two processes read from one channel at a time";
    case CheckId::transmit_while_busy: return "a frame was sent while another one was leaving";
    case CheckId::network_not_linked:
        return "the image does not have this network: `make NETWORKS='cube uhc star'`";
    case CheckId::too_many_nodes:
        return "the mesh has more nodes than this board keeps places for (kNodesMax in chip.hpp)";
    case CheckId::critical_section_out_of_balance:
        return "a process waits in a critical section, or has left one twice";
    case CheckId::no_such_node:
        return "its address names no node of a network: 02, topology, dim and node "
               "(wire/identity.hpp)";
    case CheckId::link_window_overrun: return "a link has more frames in flight than its window";
    case CheckId::link_queue_broken: return "a link has lost count of the packets that wait";
    case CheckId::take_without_packet: return "a packet was taken that had not come";
    case CheckId::no_receive_buffer: return "no buffer is left for the next frame";
    case CheckId::no_such_place: return "a place was named that the grid or the tree does not have";
    case CheckId::request_waited_twice: return "a request was waited for twice";
    case CheckId::waits_for_nothing: return "it waits for nothing: no request is open";
    case CheckId::job_not_there: return "the job was asked for before it had come";
    case CheckId::answer_to_no_question:
        return "a packet was answered that asks nothing, or that is still held";
    case CheckId::message_at_its_end:
        return "a packet was waited for behind the last one of its message";
    case CheckId::no_such_port: return "a port was named that this network does not have";
    case CheckId::blocks_cut_short: return "an op has counted a part of a block";
    case CheckId::request_lost:
        return "a request was overwritten before it was waited for: wait() first";
    case CheckId::program_aborted: return "the program called abort()";
    case CheckId::program_exited: return "the program called exit(), which ends the node";
    case CheckId::assertion_failed: return "an assertion does not hold";
    case CheckId::program_endless: return "it computes without end and never waits";
    case CheckId::index_out_of_bounds: return "an index lies outside of its array";
    case CheckId::exception_thrown:
        return "the C++ library throws an exception, which no program can catch";
    case CheckId::other_process:
        return "it starts another program, which no node can: a node has no operating system";
    case CheckId::prints_without_node:
        return "it prints before its node runs: in the constructor of a global";
    case CheckId::frame_written_after_end:
        return "something wrote into a variable of a coroutine that had ended: what a process is "
               "given by reference must outlive it";
    case CheckId::tag_of_library:
        return "it waits for a tag that is the library's: a program has 0 to 31743";
    case CheckId::joins_nothing:
        return "it joins a process that never was, or that has been joined";
    case CheckId::task_awaited_twice: return "a Task was awaited that had ended: it runs once";
    case CheckId::task_moved_from:
        return "a Process was spawned that had been moved from, or spawned before: it runs once";
    case CheckId::no_guard_counts:
        return "no guard of this alt can become ready: the condition of each when() is false";
    case CheckId::channel_of_other_type:
        return "a channel is read as another type than it is written as";
    case CheckId::channel_without_writer:
        return "a channel was read that nobody writes to any more: `read(value)` says so instead";
    case CheckId::interrupt_in_lockstep:
        return "it takes an interrupt of the chip in lockstep or in a simulation, where model time "
               "alone says what comes next: run it on a board, without --lockstep";
    case CheckId::interrupt_not_free:
        return "it takes an interrupt that this chip does not have, or that the board uses itself "
               "for its cables";
    case CheckId::message_of_other_type:
        return "a message is taken as another type than it was sent as";
    case CheckId::channel_has_gone:
        return "a channel is used that has gone with the function that it was a variable of";
    case CheckId::value_never_set:
        return "it prints or sends a value that nobody has set: of a variable that was never "
               "given one, or that has gone";
    case CheckId::alt_takes_nothing:
        return "alt() finds the same thing ready again and again: its branch must take it, by "
               "read(), receive_value() or the like";
    case CheckId::probes_without_wait:
        return "it calls probe() again and again and never waits, so that nothing comes: wait by "
               "alt(), receive_within() or yield()";
    case CheckId::reference_to_temporary:
        return "a process is spawned with a reference to a temporary value, which has gone when "
               "it runs: give it by value";
    case CheckId::heap_overrun:
        return "something wrote beyond the end of a block of malloc(), or before its begin";
    case CheckId::heap_freed_twice:
        return "free() or realloc() is given a block that has been given back";
    case CheckId::heap_no_block:
        return "free() or realloc() is given a pointer that does not come from malloc()";
    case CheckId::beyond_globals: return "it reads or writes beyond the last of its globals";
    case CheckId::beyond_heap: return "it reads or writes beyond the end of its heap";
    case CheckId::beyond_stack:
        return "it reads or writes beyond the end of its stack: of an array or a variable there";
    case CheckId::beyond_arena:
        return "it reads or writes beyond the end of an array or a variable of a coroutine, or of "
               "what Kernel::make() gave";
    case CheckId::stack_array_overrun:
        return "it wrote beyond the end of an array or a variable on its stack";
    }
    return "a check failed that this host tool does not know";
}

/// Defined once by each board: stops the node with `id` as the cause.
[[noreturn]] void check_failed(CheckId id);
/// The same for a function that a program calls: the cause is where `after` returns to.
[[noreturn]] void check_failed(CheckId id, const void* after);

} // namespace mesh

#define MESH_CHECK(condition, id)                                                                  \
    do {                                                                                           \
        if (!(condition)) [[unlikely]]                                                             \
            ::mesh::check_failed(::mesh::CheckId::id);                                             \
    } while (false)
