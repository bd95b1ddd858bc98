// A fiber: the program as a function like any other, main() of C for one, on a stack of its own.
//
// To the kernel it is one process, a coroutine that stands for it. When the program has to wait, it
// leaves the wait with that process and goes back to the node's stack; when the wait is over, the
// scheduler resumes the process, and that enters the program's stack again. So a program without
// co_await can wait for all that the kernel has, and scheduler, links and debuggers see nothing
// but a process.
//
// There is one fiber a node. Nothing here may be called but from the program's stack.
#pragma once

#include "kernel/node/kernel.hpp"
#include "kernel/processes/scheduler.hpp"
#include "kernel/processes/task.hpp"
#include "wire/app_parameters.hpp"

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

namespace mesh::fiber {

/// The node that the program runs on.
Kernel& node();
/// The parameters of `mesh run` for the program, beside its arguments; `ranks` is never 0.
wire::AppParameters parameters();
/// Puts the name of the node, as much of it as there is room for, and a NUL; how long it is.
int put_name(char* into, std::size_t bytes);

namespace detail {
/// The process that stands for the program.
std::coroutine_handle<> process();
/// Leaves the program's stack until the process is resumed. `start`: a coroutine that runs first.
void leave(std::coroutine_handle<> start = nullptr);
template <class W>
concept Waits = std::derived_from<std::remove_cvref_t<W>, Waiting>;
} // namespace detail

/// `co_await waiting` for the program. Costs no switch of stacks if the wait is over at once.
template <detail::Waits W>
auto await(W&& waiting) {
    if (waiting.await_suspend(detail::process()))
        detail::leave();
    return waiting.await_resume();
}

/// `co_await task` for the program: two switches of stacks, and what the task costs.
template <class T>
T await(Task<T> task) {
    const std::coroutine_handle<> first = task.await_suspend(detail::process());
    if (first != detail::process()) // else there was no memory for its frame
        detail::leave(first);
    return task.await_resume();
}

/// Called on the program's stack when the program ends. Defined by a library; a program that uses
/// none has none.
[[gnu::weak]] void before_end(int status);

/// Ends the program, with the verdict of a main() that returns `status`. Other processes of the
/// node go on until all nodes have ended.
[[noreturn]] void end(int status);

} // namespace mesh::fiber
