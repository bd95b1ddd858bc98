// Functions of the C library that a program with a main() expects and a node has in a way of its
// own: time, which is model time, from a date on that the run gives; sleep; the name of the host;
// and what takes memory of the heap. `mesh build` gives calls of time() the name mesh_time(), and
// so on.
#include "fiber/fiber.hpp"
#include "hal/heap.hpp"

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/resource.h>
#include <sys/time.h>

namespace {

constexpr std::uint64_t kMicro = 1'000'000;
constexpr std::uint64_t kNano = 1'000 * kMicro;
/// Of model time; a unit is a millisecond.
constexpr std::uint64_t kTicksPerSecond = 1'000 * std::uint64_t{mesh::wire::kTicksPerUnit};

/// A loop that does nothing but look at the time would stop it.
std::uint64_t now() {
    static unsigned looks = 0;
    constexpr unsigned kFreeLooks = 1000;
    mesh::Kernel& node = mesh::fiber::node();
    if (++looks % kFreeLooks == 0)
        mesh::fiber::await(node.sleep(mesh::wire::kTicksPerUnit / 10));
    return node.now();
}

/// In parts of a second, so many in one.
std::uint64_t now_in(std::uint64_t parts) {
    const std::uint64_t ticks = now();
    return ticks / kTicksPerSecond * parts + ticks % kTicksPerSecond * parts / kTicksPerSecond;
}

/// The value of time() when the program begins.
std::uint64_t date() { return mesh::wire::date_of(mesh::fiber::node().job().seed); }

void sleep_for(std::uint64_t seconds, std::uint64_t nanoseconds) {
    mesh::Kernel& node = mesh::fiber::node();
    const std::uint64_t ticks = seconds * kTicksPerSecond + nanoseconds * kTicksPerSecond / kNano;
    mesh::fiber::await(node.sleep(ticks));
}

} // namespace

int mesh::fiber::put_name(char* into, std::size_t bytes) {
    return std::snprintf(into, bytes, "node %u", static_cast<unsigned>(index(node().id())));
}

// steady_clock::now() and system_clock::now() of std::chrono.
std::chrono::steady_clock::time_point steady_now() asm("mesh__ZNSt6chrono3_V212steady_clock3nowEv");
std::chrono::system_clock::time_point system_now() asm("mesh__ZNSt6chrono3_V212system_clock3nowEv");

std::chrono::steady_clock::time_point steady_now() {
    return std::chrono::steady_clock::time_point{std::chrono::nanoseconds{now_in(kNano)}};
}
std::chrono::system_clock::time_point system_now() {
    return std::chrono::system_clock::time_point{
        std::chrono::seconds{date()} +
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::nanoseconds{now_in(kNano)})};
}

extern "C" {

int mesh_gethostname(char* into, std::size_t bytes) {
    mesh::fiber::put_name(into, bytes);
    return 0;
}

std::time_t mesh_time(std::time_t* into) {
    const auto seconds = static_cast<std::time_t>(date() + now_in(1));
    if (into != nullptr)
        *into = seconds;
    return seconds;
}

std::clock_t mesh_clock() { return static_cast<std::clock_t>(now_in(CLOCKS_PER_SEC)); }

int mesh_gettimeofday(timeval* into, void*) {
    const std::uint64_t time = now_in(kMicro);
    into->tv_sec = static_cast<decltype(into->tv_sec)>(date() + time / kMicro);
    into->tv_usec = static_cast<decltype(into->tv_usec)>(time % kMicro);
    return 0;
}

/// All time is the program's own; nothing else is counted.
int mesh_getrusage(int, rusage* into) {
    const std::uint64_t time = now_in(1'000'000);
    *into = {};
    into->ru_utime.tv_sec = static_cast<decltype(into->ru_utime.tv_sec)>(time / 1'000'000);
    into->ru_utime.tv_usec = static_cast<decltype(into->ru_utime.tv_usec)>(time % 1'000'000);
    return 0;
}

int mesh_clock_gettime(int clock, timespec* into) {
    const std::uint64_t time = now_in(kNano);
    const std::uint64_t begin = clock == CLOCK_REALTIME ? date() : 0;
    into->tv_sec = static_cast<decltype(into->tv_sec)>(begin + time / kNano);
    into->tv_nsec = static_cast<decltype(into->tv_nsec)>(time % kNano);
    return 0;
}

unsigned mesh_sleep(unsigned seconds) {
    sleep_for(seconds, 0);
    return 0;
}

int mesh_usleep(unsigned microseconds) {
    sleep_for(0, std::uint64_t{microseconds} * 1000);
    return 0;
}

int mesh_nanosleep(const timespec* time, timespec*) {
    sleep_for(static_cast<std::uint64_t>(time->tv_sec), static_cast<std::uint64_t>(time->tv_nsec));
    return 0;
}

int mesh_posix_memalign(void** into, std::size_t alignment, std::size_t bytes) {
    if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0)
        return EINVAL;
    void* const block = mesh_aligned_alloc(alignment, bytes);
    if (block == nullptr)
        return ENOMEM;
    *into = block;
    return 0;
}

char* mesh_strndup(const char* text, std::size_t most) {
    std::size_t length = 0;
    while (length < most && text[length] != '\0')
        ++length;
    auto* const copy = static_cast<char*>(mesh_malloc(length + 1));
    if (copy == nullptr)
        return nullptr;
    copy[length] = '\0';
    return static_cast<char*>(std::memcpy(copy, text, length));
}

char* mesh_strdup(const char* text) { return mesh_strndup(text, SIZE_MAX); }

int mesh_vasprintf(char** into, const char* text, std::va_list values) {
    std::va_list again;
    va_copy(again, values);
    const int length = std::vsnprintf(nullptr, 0, text, again);
    va_end(again);
    *into = static_cast<char*>(mesh_malloc(static_cast<std::size_t>(length) + 1));
    return *into == nullptr
               ? -1
               : std::vsnprintf(*into, static_cast<std::size_t>(length) + 1, text, values);
}

int mesh_asprintf(char** into, const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int length = mesh_vasprintf(into, text, values);
    va_end(values);
    return length;
}

// The initialisation of the C++ library's own streams, which a program does not use: see
// streams.cpp. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void mesh__ZNSt8ios_base4InitC1Ev() {}
void mesh__ZNSt8ios_base4InitD1Ev() {}
void mesh__ZSt21ios_base_library_initv() {}
bool mesh__ZNSt8ios_base15sync_with_stdioEb(bool) { return true; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
