// CHECKs, halt(), and the functions that programs call to give up.
#include "boards/host/stop.hpp"

#include "boards/host/check_words.hpp"
#include "boards/host/notes.hpp"
#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "hal/console.hpp"
#include "libc/assertion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unwind.h>

// The linker's.
extern char program_start[] asm("__executable_start");
extern char program_end[] asm("_end");

namespace mesh {

namespace board {
namespace {
thread_local Stop stop_node = nullptr;
thread_local void* stop_context = nullptr;
volatile std::sig_atomic_t stop_asked = 0;

struct Code {
    std::uintptr_t base;
    std::uintptr_t begin;
    std::uintptr_t library;
    std::uintptr_t end;
};
std::array<Code, kLoadedMax> loaded{};

/// Number of the program that has this address; 0: none that was loaded.
unsigned loaded_at(std::uintptr_t address) {
    for (unsigned number = 1; number <= loaded.size(); ++number)
        if (address >= loaded[number - 1].begin && address < loaded[number - 1].end)
            return number;
    return 0;
}
} // namespace

void set_stop(Stop stop, void* context) {
    stop_node = stop;
    stop_context = context;
    stop_asked = 0;
    detail::note_wait();
}

void stop_at_next_call() { stop_asked = 1; }

void add_code(unsigned number, std::uintptr_t base, std::uintptr_t begin, std::uintptr_t library,
              std::uintptr_t end) {
    loaded.at(number - 1) = {base, begin, library, end};
}

bool in_loaded_code(std::uintptr_t address) { return loaded_at(address) != 0; }

bool in_program_code(std::uintptr_t address) {
    const unsigned number = loaded_at(address);
    return number != 0 && address < loaded[number - 1].library;
}

bool in_own_code(std::uintptr_t address) {
    return address >= reinterpret_cast<std::uintptr_t>(program_start) &&
           address < reinterpret_cast<std::uintptr_t>(program_end);
}

std::uint32_t code_offset(std::uintptr_t address) {
    const unsigned number = loaded_at(address);
    const std::uintptr_t base =
        number == 0 ? reinterpret_cast<std::uintptr_t>(program_start) : loaded[number - 1].base;
    return number * kCodeBytesMax + static_cast<std::uint32_t>(address - base);
}
} // namespace board

/// GCC's description of an access that it checks.
struct AccessCheck {
    const char* file;
    std::uint32_t line;
    std::uint32_t column;
    const void* type;
    unsigned char log_alignment; // of the type, as a power of 2
    unsigned char kind;
};

namespace {
/// `after`: behind the call that led here.
[[noreturn]] void stop(std::uint32_t cause, const void* after, std::uint32_t status) {
    wire::CrashRecord record{};
    record.cause = cause;
    record.pc = board::code_offset(reinterpret_cast<std::uintptr_t>(after)) - 1;
    record.status = status;
    halt(record);
}

[[noreturn]] void stop(CheckId id, const void* after, int status = 0) {
    stop(id.number, after, static_cast<std::uint32_t>(status));
}

// The cause and the bits of a usage fault, as in the status of a Cortex-M.
constexpr std::uint32_t kUsageFault = wire::kProcessorFault + 6;
constexpr std::uint32_t kUnaligned = 1u << 24;
constexpr std::uint32_t kDivisionByZero = 1u << 25;

/// More calls than lie between a program and the console.
constexpr std::size_t kCallsMax = 64;
} // namespace

namespace {
/// A walk up the calls that are under way, to the first one of a program; or, behind a signal that
/// has interrupted `from`, to the first one of a program, its library or this process.
struct Walk {
    std::uintptr_t from = 0;
    bool is_behind = false; // the signal
    std::size_t calls = 0;
    std::uintptr_t loaded = 0; // the first one of a program or its library; 0: none
    bool ends = false;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
    auto& walk = *static_cast<Walk*>(argument);
    const std::uintptr_t address = _Unwind_GetIP(context);
    walk.is_behind = walk.is_behind || address == walk.from;
    const bool is_program = board::in_program_code(address);
    if (is_program || (walk.loaded == 0 && board::in_loaded_code(address)))
        walk.loaded = address;
    walk.ends = is_program || (walk.is_behind && (walk.loaded != 0 || board::in_own_code(address)));
    return walk.ends || ++walk.calls == kCallsMax ? _URC_END_OF_STACK : _URC_NO_REASON;
}
} // namespace

const void* board::last_call_of_program() {
    Walk walk;
    _Unwind_Backtrace(step, &walk);
    return walk.loaded != 0 ? std::bit_cast<const void*>(walk.loaded) : __builtin_return_address(0);
}

bool board::in_library_of_program(std::uintptr_t pc) {
    Walk walk{.from = pc};
    _Unwind_Backtrace(step, &walk);
    return walk.is_behind && walk.loaded != 0;
}

void board::stop_if_asked() {
    if (stop_asked == 0)
        return;
    const Endless why = why_endless(last_call_of_program());
    stop(why.cause, why.place);
}

void check_failed(CheckId id) { stop(id, __builtin_return_address(0)); }
void check_failed(CheckId id, const void* after) { stop(id, after); }

void halt(const wire::CrashRecord& record) {
    if (board::stop_node != nullptr)
        board::stop_node(board::stop_context, record);
    const CheckId id{record.cause};
    std::fprintf(stderr, "meshputer: CHECK %u failed: %s\n", static_cast<unsigned>(record.cause),
                 words_of(id).data());
    std::abort();
}

} // namespace mesh

// More names of functions that are defined below, without the prefix that all of them have.
#define MESH_APP_ALIAS(name, of)                                                                   \
    asm(".globl mesh_app_" name "\n.set mesh_app_" name ", mesh_app_" of)
MESH_APP_ALIAS("_exit", "exit");
MESH_APP_ALIAS("_Exit", "exit");
MESH_APP_ALIAS("quick_exit", "exit");
MESH_APP_ALIAS("_ZSt9terminatev", "abort"); // std::terminate()
MESH_APP_ALIAS("cxa_pure_virtual", "abort");
MESH_APP_ALIAS("popen", "system");
MESH_APP_ALIAS("fork", "system");
MESH_APP_ALIAS("vfork", "system");
MESH_APP_ALIAS("execl", "system");
MESH_APP_ALIAS("execlp", "system");
MESH_APP_ALIAS("execle", "system");
MESH_APP_ALIAS("execv", "system");
MESH_APP_ALIAS("execvp", "system");
MESH_APP_ALIAS("execve", "system");
MESH_APP_ALIAS("posix_spawn", "system");
MESH_APP_ALIAS("posix_spawnp", "system");

// Programs are built for the host with abort, exit and the function behind assert() renamed to
// these.
extern "C" {

[[noreturn]] void mesh_app_abort();
[[noreturn]] void mesh_app_exit(int status);
[[noreturn]] void mesh_app_assert_fail(const char* expression, const char* file, unsigned line,
                                       const char* function);
[[noreturn]] void mesh_app_system();
[[noreturn]] void mesh_app_ubsan_handle_divrem_overflow_abort();
[[noreturn]] void mesh_app_ubsan_handle_out_of_bounds_abort();
[[noreturn]] void mesh_app_ubsan_handle_type_mismatch_v1_abort(const mesh::AccessCheck& check,
                                                               std::uintptr_t address);
[[noreturn]] void mesh_app_stack_chk_fail();
int mesh_app_cxa_atexit(void (*function)(void*), void* object, void* library);

// A node does not end, so nothing is done at its end.
int mesh_app_cxa_atexit(void (*)(void*), void*, void*) { return 0; }

void mesh_app_abort() {
    mesh::stop(mesh::ProgramEnd::program_aborted, __builtin_return_address(0));
}
void mesh_app_exit(int status) {
    mesh::console_flush();
    mesh::stop(mesh::ProgramEnd::program_exited, __builtin_return_address(0), status);
}
void mesh_app_assert_fail(const char* expression, const char* file, unsigned line,
                          const char* function) {
    mesh::stdio::tell_assertion(expression, file, static_cast<int>(line), function);
    mesh::stop(mesh::ProgramEnd::assertion_failed, __builtin_return_address(0));
}

// The compiler calls it at the end of a function whose frame was written over.
void mesh_app_stack_chk_fail() {
    mesh::stop(mesh::ProgramEnd::stack_array_overrun, __builtin_return_address(0));
}

void mesh_app_system() { mesh::stop(mesh::ProgramEnd::other_process, __builtin_return_address(0)); }

// The functions that the compiler calls for the faults that it was asked to look for
// (firmware/programs.mk): a division by zero, an index that its array does not have, an access to
// an address that is not whole, or behind the end of an object.
void mesh_app_ubsan_handle_divrem_overflow_abort() {
    mesh::stop(mesh::kUsageFault, __builtin_return_address(0), mesh::kDivisionByZero);
}
void mesh_app_ubsan_handle_out_of_bounds_abort() {
    mesh::stop(mesh::ProgramEnd::index_out_of_bounds, __builtin_return_address(0));
}
void mesh_app_ubsan_handle_type_mismatch_v1_abort(const mesh::AccessCheck& check,
                                                  std::uintptr_t address) {
    if (address % (std::uintptr_t{1} << check.log_alignment) == 0)
        mesh::stop(mesh::ProgramEnd::index_out_of_bounds, __builtin_return_address(0));
    mesh::stop(mesh::kUsageFault, __builtin_return_address(0), mesh::kUnaligned);
}
}
