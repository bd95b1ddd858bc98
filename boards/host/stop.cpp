// CHECKs, halt(), and what programs call to give up.
#include "boards/host/stop.hpp"

#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "hal/console.hpp"
#include "stdio/assertion.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <span>

extern char program_start[] asm("__executable_start"); // the linker's

namespace mesh {

namespace board {
namespace {
thread_local Stop stop_node = nullptr;
thread_local void* stop_context = nullptr;
volatile std::sig_atomic_t stop_asked = 0;

struct Code {
    std::uintptr_t base;
    std::uintptr_t begin;
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
}

void stop_at_next_call() { stop_asked = 1; }

void add_code(unsigned number, std::uintptr_t base, std::uintptr_t begin, std::uintptr_t end) {
    loaded.at(number - 1) = {base, begin, end};
}

bool in_loaded_code(std::uintptr_t address) { return loaded_at(address) != 0; }

std::uint32_t code_offset(std::uintptr_t address) {
    const unsigned number = loaded_at(address);
    const std::uintptr_t base =
        number == 0 ? reinterpret_cast<std::uintptr_t>(program_start) : loaded[number - 1].base;
    return number * kCodeBytesMax + static_cast<std::uint32_t>(address - base);
}
} // namespace board

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
    stop(static_cast<std::uint32_t>(id), after, static_cast<std::uint32_t>(status));
}

// As a Cortex-M says it in the status of a usage fault.
constexpr std::uint32_t kUsageFault = wire::kProcessorFault + 6;
constexpr std::uint32_t kUnaligned = 1u << 24;
constexpr std::uint32_t kDivisionByZero = 1u << 25;

/// More calls than lie between a program and the console.
constexpr std::size_t kCallsMax = 64;
} // namespace

void board::stop_if_asked() {
    if (stop_asked == 0)
        return;
    std::array<void*, kCallsMax> calls{};
    const auto all = std::span(calls).first(
        static_cast<std::size_t>(backtrace(calls.data(), static_cast<int>(calls.size()))));
    const auto of_program = std::ranges::find_if(all, [](const void* after) {
        return in_loaded_code(reinterpret_cast<std::uintptr_t>(after));
    });
    stop(CheckId::program_endless,
         of_program != all.end() ? *of_program : __builtin_return_address(0));
}

void check_failed(CheckId id) { stop(id, __builtin_return_address(0)); }

void halt(const wire::CrashRecord& record) {
    if (board::stop_node != nullptr)
        board::stop_node(board::stop_context, record);
    const auto id = static_cast<CheckId>(record.cause);
    std::fprintf(stderr, "meshputer: CHECK %u failed: %s\n", static_cast<unsigned>(record.cause),
                 words_of(id).data());
    std::abort();
}

} // namespace mesh

// Programs are built for the host with abort, exit and what assert() calls renamed to these.
extern "C" {

[[noreturn]] void mesh_app_abort();
[[noreturn]] void mesh_app_exit(int status);
[[noreturn]] void mesh_app_assert_fail(const char* expression, const char* file, unsigned line,
                                       const char* function);
[[noreturn]] void mesh_app_ubsan_handle_divrem_overflow_abort();
[[noreturn]] void mesh_app_ubsan_handle_type_mismatch_v1_abort();
int mesh_app_cxa_atexit(void (*function)(void*), void* object, void* library);

// A node does not end, so nothing is done at its end.
int mesh_app_cxa_atexit(void (*)(void*), void*, void*) { return 0; }

void mesh_app_abort() { mesh::stop(mesh::CheckId::program_aborted, __builtin_return_address(0)); }
void mesh_app_exit(int status) {
    mesh::console_flush();
    mesh::stop(mesh::CheckId::program_exited, __builtin_return_address(0), status);
}
void mesh_app_assert_fail(const char* expression, const char* file, unsigned line,
                          const char* function) {
    mesh::stdio::tell_assertion(expression, file, static_cast<int>(line), function);
    mesh::stop(mesh::CheckId::assertion_failed, __builtin_return_address(0));
}

// What the compiler calls where a program does what it was asked to look for
// (firmware/programs.mk): a division by zero, an access to an address that is not whole.
void mesh_app_ubsan_handle_divrem_overflow_abort() {
    mesh::stop(mesh::kUsageFault, __builtin_return_address(0), mesh::kDivisionByZero);
}
void mesh_app_ubsan_handle_type_mismatch_v1_abort() {
    mesh::stop(mesh::kUsageFault, __builtin_return_address(0), mesh::kUnaligned);
}
}
