#include "boards/host/program_memory.hpp"

#include "hal/stack_switch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <vector>

namespace mesh {

namespace board {

namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;
/// Each guard costs two mappings, of which a process of Linux has 65,530. What is beyond has none.
constexpr std::size_t kGuardsMax = 16'384;

struct Guard {
    std::span<std::byte> pages;
    CheckId beyond;
};
std::vector<Guard> guards;
std::size_t heap_bytes = 0;

} // namespace

void set_heap_bytes(std::size_t bytes) { heap_bytes = bytes; }

void guard(std::span<std::byte> pages, CheckId beyond) {
    if (guards.size() < kGuardsMax && mprotect(pages.data(), pages.size(), PROT_NONE) == 0)
        guards.push_back({pages, beyond});
}

std::span<std::byte> guarded_memory(std::size_t bytes, CheckId beyond) {
    void* const memory = mmap(nullptr, bytes + 2 * kGuardBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return {};
    const std::span all{static_cast<std::byte*>(memory), bytes + 2 * kGuardBytes};
    if (guards.size() < kGuardsMax)
        mprotect(all.data(), kGuardBytes, PROT_NONE);
    guard(all.last(kGuardBytes), beyond);
    return all.subspan(kGuardBytes, bytes);
}

std::optional<CheckId> guard_at(std::uintptr_t address) {
    const auto found = std::ranges::find_if(guards, [address](const Guard& guard) {
        return address - reinterpret_cast<std::uintptr_t>(guard.pages.data()) < guard.pages.size();
    });
    return found == guards.end() ? std::nullopt : std::optional(found->beyond);
}

} // namespace board

std::span<std::byte> program_stack() {
    return board::guarded_memory(board::kStackBytes, ProgramEnd::beyond_stack);
}

std::span<std::byte> program_heap() {
    constexpr std::size_t kLargestPage = std::size_t{64} << 10;
    return board::guarded_memory(board::heap_bytes / kLargestPage * kLargestPage,
                                 ProgramEnd::beyond_heap);
}

} // namespace mesh
