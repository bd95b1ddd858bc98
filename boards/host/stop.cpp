// CHECKs, halt(), and what programs call to give up.
#include "boards/host/stop.hpp"

#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "hal/console.hpp"
#include "stdio/assertion.hpp"

#include <cstdio>
#include <cstdlib>

extern char program_start[] asm("__executable_start"); // the linker's

namespace mesh {

namespace board {
namespace {
thread_local Stop stop_node = nullptr;
thread_local void* stop_context = nullptr;
} // namespace

void set_stop(Stop stop, void* context) {
    stop_node = stop;
    stop_context = context;
}

std::uint32_t code_offset(std::uintptr_t address) {
    return static_cast<std::uint32_t>(address - reinterpret_cast<std::uintptr_t>(program_start));
}
} // namespace board

namespace {
/// `after`: behind the call that led here.
[[noreturn]] void stop(CheckId id, const void* after, int status = 0) {
    wire::FaultRecord record{};
    record.cause = static_cast<std::uint32_t>(id);
    record.pc = board::code_offset(reinterpret_cast<std::uintptr_t>(after)) - 1;
    record.status = static_cast<std::uint32_t>(status);
    halt(record);
}
} // namespace

void check_failed(CheckId id) { stop(id, __builtin_return_address(0)); }

void halt(const wire::FaultRecord& record) {
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
}
