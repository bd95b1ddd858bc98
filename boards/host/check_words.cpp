#include "boards/host/check_words.hpp"

namespace mesh {

namespace {

std::string_view words_of(Invariant broken) {
    switch (broken) {
    case Invariant::pool_double_free: return "a packet was released twice";
    case Invariant::pool_bad_buffer: return "a packet was used that had been released";
    case Invariant::arena_bad_free:
        return "memory of a coroutine was released twice, or was never its own";
    case Invariant::transmit_while_busy: return "a frame was sent while another one was leaving";
    case Invariant::critical_section_out_of_balance:
        return "a process waits in a critical section, or has left one twice";
    case Invariant::link_window_overrun: return "a link has more frames in flight than its window";
    case Invariant::link_queue_broken: return "a link has lost count of the packets that wait";
    case Invariant::take_without_packet: return "a packet was taken that had not come";
    case Invariant::no_receive_buffer: return "no buffer is left for the next frame";
    case Invariant::job_not_there: return "the job was asked for before it had come";
    case Invariant::answer_to_no_question:
        return "a packet was answered that asks nothing, or that is still held";
    case Invariant::blocks_cut_short: return "an op has counted a part of a block";
    }
    return {};
}

std::string_view words_of(ProgramEnd end) {
    switch (end) {
    case ProgramEnd::program_aborted: return "the program called abort()";
    case ProgramEnd::program_exited: return "the program called exit(), which ends the node";
    case ProgramEnd::assertion_failed: return "an assertion does not hold";
    case ProgramEnd::program_endless: return "it computes without end and never waits";
    case ProgramEnd::index_out_of_bounds: return "an index lies outside of its array";
    case ProgramEnd::exception_thrown:
        return "the C++ library throws an exception, which no program can catch";
    case ProgramEnd::other_process:
        return "it starts another program, which no node can: a node has no operating system";
    case ProgramEnd::prints_without_node:
        return "it prints before its node runs: in the constructor of a global";
    case ProgramEnd::frame_written_after_end:
        return "something wrote into a variable of a coroutine that had ended: what a process is "
               "given by reference must outlive it";
    case ProgramEnd::heap_overrun:
        return "something wrote beyond the end of a block of malloc(), or before its begin";
    case ProgramEnd::heap_freed_twice:
        return "free() or realloc() is given a block that has been given back";
    case ProgramEnd::heap_no_block:
        return "free() or realloc() is given a pointer that does not come from malloc()";
    case ProgramEnd::beyond_globals: return "it reads or writes beyond the last of its globals";
    case ProgramEnd::beyond_heap: return "it reads or writes beyond the end of its heap";
    case ProgramEnd::beyond_stack:
        return "it reads or writes beyond the end of its stack: of an array or a variable there";
    case ProgramEnd::beyond_arena:
        return "it reads or writes beyond the end of an array or a variable of a coroutine, or of "
               "what Kernel::make() gave";
    case ProgramEnd::stack_array_overrun:
        return "it wrote beyond the end of an array or a variable on its stack";
    }
    return {};
}

std::string_view words_of(Misuse mistake) {
    switch (mistake) {
    case Misuse::channel_two_writers: return "two processes write to one channel at a time";
    case Misuse::channel_two_readers: return "two processes read from one channel at a time";
    case Misuse::network_not_linked:
        return "the image does not have this network: `make NETWORKS='cube uhc star'`";
    case Misuse::too_many_nodes:
        return "the mesh has more nodes than this board keeps places for (kNodesMax in chip.hpp)";
    case Misuse::no_such_node:
        return "its address names no node of a network: 02, topology, dim and node "
               "(wire/identity.hpp)";
    case Misuse::no_such_place: return "a place was named that the grid or the tree does not have";
    case Misuse::request_waited_twice: return "a request was waited for twice";
    case Misuse::waits_for_nothing: return "it waits for nothing: no request is open";
    case Misuse::message_at_its_end:
        return "a packet was waited for behind the last one of its message";
    case Misuse::no_such_port: return "a port was named that this network does not have";
    case Misuse::request_lost:
        return "a request was overwritten before it was waited for: wait() first";
    case Misuse::tag_of_library:
        return "it waits for a tag that is the library's: a program has 0 to 31743";
    case Misuse::joins_nothing: return "it joins a process that never was, or that has been joined";
    case Misuse::task_awaited_twice: return "a Task was awaited that had ended: it runs once";
    case Misuse::task_moved_from:
        return "a Process was spawned that had been moved from, or spawned before: it runs once";
    case Misuse::no_guard_counts:
        return "no guard of this alt can become ready: the condition of each when() is false";
    case Misuse::channel_of_other_type:
        return "a channel is read as another type than it is written as";
    case Misuse::channel_without_writer:
        return "a channel was read that nobody writes to any more: `read(value)` says so instead";
    case Misuse::interrupt_in_lockstep:
        return "it takes an interrupt of the chip in lockstep or in a simulation, where model time "
               "alone says what comes next: run it on a board, without --lockstep";
    case Misuse::interrupt_not_free:
        return "it takes an interrupt that this chip does not have, or that the board uses itself "
               "for its cables";
    case Misuse::message_of_other_type:
        return "a message is taken as another type than it was sent as";
    case Misuse::channel_has_gone:
        return "a channel is used that has gone with the function that it was a variable of";
    case Misuse::value_never_set:
        return "it prints or sends a value that nobody has set: of a variable that was never "
               "given one, or that has gone";
    case Misuse::alt_takes_nothing:
        return "alt() finds the same thing ready again and again: its branch must take it, by "
               "read(), receive_value() or the like";
    case Misuse::probes_without_wait:
        return "it calls probe() again and again and never waits, so that nothing comes: wait by "
               "alt(), receive_within() or yield()";
    case Misuse::reference_to_temporary:
        return "a process is spawned with a reference to a temporary value, which has gone when "
               "it runs: give it by value";
    }
    return {};
}

} // namespace

std::string_view words_of(CheckId id) {
    // Their numbers are apart, so at most one knows it.
    for (const std::string_view words :
         {words_of(Invariant{id.number}), words_of(ProgramEnd{id.number}),
          words_of(Misuse{id.number})})
        if (!words.empty())
            return words;
    return "a check failed that this host tool does not know";
}

} // namespace mesh
