#include "boards/host/console.hpp"

#include "boards/host/stop.hpp"
#include "hal/check.hpp"
#include "hal/console.hpp"
#include "hal/cycles.hpp"

#include <cstdio>
#include <ctime>

namespace {

thread_local mesh::Kernel* console = nullptr;

mesh::Kernel& kernel_that_runs() {
    MESH_CHECK(console != nullptr, prints_without_node);
    return *console;
}

} // namespace

namespace mesh {

void board::set_console(Kernel* kernel) { console = kernel; }

/// A program that prints again and again is hardly ever met in its own code.
void console_write(std::span<const char> text) {
    kernel_that_runs().print(text);
    board::stop_if_asked();
}

void console_flush() { kernel_that_runs().flush_print(); }

bool is_console(const void* file) { return file == stdout || file == stderr; }

std::uint64_t cycles() {
    constexpr std::uint64_t kNanosecondsInSecond = 1'000'000'000;
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<std::uint64_t>(spent.tv_sec) * kNanosecondsInSecond +
           static_cast<std::uint64_t>(spent.tv_nsec);
}

const std::uint32_t kCyclesOfUs = 1000;

} // namespace mesh
