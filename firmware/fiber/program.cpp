// app_main() of a program that has a main(): linked where a program defines no app_main() itself.
//
// `mesh build` gives main() of the program and its calls of exit() the names that are used here,
// since a board's image and the host tool have functions of these names.
#include "fiber/fiber.hpp"
#include "fiber/strand.hpp"

#include "hal/console.hpp"
#include "hal/heap.hpp"
#include "hal/stack_switch.hpp"
#include "kernel/base/limits.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

mesh::Process app_main(mesh::Kernel& kernel);
extern "C" int mesh_main(int count, char** words, char** environment);
extern "C" {
[[noreturn]] void mesh_exit(int status);
int mesh_atexit(void (*function)());
}

namespace mesh::fiber {

namespace {

Kernel* the_node = nullptr;
std::coroutine_handle<> the_process;
std::coroutine_handle<> programs_process; // while a strand runs that is another one
std::coroutine_handle<> to_start;
StackPointer node_stack = nullptr;
StackPointer stack = nullptr;
std::span<std::byte> stack_memory;
bool has_ended = false;
int verdict = 0;

/// The number that C promises.
std::array<void (*)(), 32> at_end{};
std::size_t at_end_count = 0;

// The words of the command line, as C wants them: each with its NUL, then a null pointer.
constexpr std::string_view kName = "program";
std::array<char, limits::kArgumentBytesMax + kName.size() + 1> letters;
std::array<char*, limits::kArgumentsMax + 2> words{};
std::array<char*, 1> no_environment{};

int put_words(const Kernel& kernel) {
    char* at = letters.data();
    int count = 0;
    const auto put = [&](std::string_view word) {
        words[static_cast<std::size_t>(count++)] = at;
        at = std::ranges::copy(word, at).out;
        *at++ = '\0';
    };
    put(kName);
    for (const std::string_view word : kernel.arguments())
        put(word);
    return count;
}

void run_program() { end(mesh_main(put_words(*the_node), words.data(), no_environment.data())); }

/// Stack and heap lie in the workspace where the board has no other memory for them: the stack at
/// its end, in half of it at most.
void share_out(std::span<std::byte> workspace) {
    constexpr std::size_t kStackBytes = 256 << 10;
    stack_memory = program_stack();
    if (stack_memory.empty())
        stack_memory = workspace.last(std::min(kStackBytes, workspace.size() / 2));
    const std::span<std::byte> heap = program_heap();
    const bool ends_there =
        stack_memory.data() + stack_memory.size() == workspace.data() + workspace.size();
    give_heap(!heap.empty()
                  ? heap
                  : workspace.first(workspace.size() - (ends_there ? stack_memory.size() : 0)));
}

/// Gives the handle of the process that awaits it, which goes on at once.
struct OwnHandle {
    std::coroutine_handle<> handle = nullptr;
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> caller) {
        handle = caller;
        return false;
    }
    std::coroutine_handle<> await_resume() const { return handle; }
};

/// Suspends the process; the wait that the program has begun resumes it.
struct ProgramWaits {
    bool await_ready() const { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const {
        const auto first = std::exchange(to_start, nullptr);
        return first ? first : std::noop_coroutine();
    }
    void await_resume() const {}
};

Strand* entered = nullptr; // the last strand

void run_strand() {
    Strand& strand = *entered;
    strand.function();
    strand.has_ended = true;
    for (;;)
        detail::leave();
}

} // namespace

Kernel& node() { return *the_node; }

wire::AppParameters parameters() {
    auto all = wire::load<wire::AppParameters>(the_node->job().parameters, 0);
    if (all.ranks == 0)
        all.ranks = the_node->nodes();
    return all;
}

std::coroutine_handle<> detail::process() { return the_process; }

void detail::leave(std::coroutine_handle<> start) {
    to_start = start;
    switch_stacks(&stack, node_stack, nullptr);
}

void end(int status) {
    while (at_end_count != 0)
        at_end[--at_end_count]();
    if (before_end != nullptr)
        before_end(status);
    check_heap();
    console_flush();
    has_ended = true;
    verdict = status;
    if (the_process != programs_process)
        entered->has_ended = true; // a strand is not to be entered again
    for (;;)
        detail::leave();
}

// While a strand runs it has the places of the program.
Process run(Kernel&, Strand& strand) {
    const std::coroutine_handle<> process = co_await OwnHandle{};
    StackPointer its_stack = new_stack(strand.stack, run_strand);
    for (;;) {
        const auto program = std::exchange(the_process, process);
        const StackPointer program_stack = std::exchange(stack, its_stack);
        entered = &strand;
        switch_stacks(&node_stack, stack, strand.stack.data());
        its_stack = std::exchange(stack, program_stack);
        the_process = program;
        if (strand.has_ended)
            break;
        co_await ProgramWaits{};
    }
    co_return Status::ok;
}

} // namespace mesh::fiber

mesh::Process app_main(mesh::Kernel& kernel) {
    using namespace mesh::fiber;
    the_node = &kernel;
    if (mesh::index(kernel.id()) >= parameters().ranks)
        co_return mesh::Status::ok; // the node forwards for the others
    programs_process = the_process = co_await OwnHandle{};
    share_out(kernel.workspace());
    stack = mesh::new_stack(stack_memory, run_program);
    for (;;) {
        mesh::switch_stacks(&node_stack, stack, stack_memory.data());
        if (has_ended)
            break;
        co_await ProgramWaits{};
    }
    co_return verdict == 0 ? mesh::Status::ok : mesh::Status::failed;
}

void mesh_exit(int status) { mesh::fiber::end(status); }

int mesh_atexit(void (*function)()) {
    using namespace mesh::fiber;
    if (at_end_count == at_end.size())
        return -1;
    at_end[at_end_count++] = function;
    return 0;
}
