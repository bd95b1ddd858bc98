#include "boards/host/console.hpp"

#include "hal/console.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

thread_local mesh::Kernel* console = nullptr;

mesh::Kernel& kernel_that_runs() {
    if (console == nullptr)
        std::abort();
    return *console;
}

} // namespace

namespace mesh {

void board::set_console(Kernel* kernel) { console = kernel; }

void console_write(std::span<const char> text) { kernel_that_runs().print(text); }

void console_flush() { kernel_that_runs().flush_print(); }

bool is_console(const void* file) { return file == stdout || file == stderr; }

} // namespace mesh
