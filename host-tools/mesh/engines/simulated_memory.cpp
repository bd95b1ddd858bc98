#include "simulated_memory.hpp"

#include "host-tools/mesh/programs/image_symbols.hpp"

#include "boards/host/stop.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <unordered_map>

namespace mesh::host {

namespace {

/// A pointer has 8 bytes or 4, an address of any node's memory 8.
const std::byte* place_of(std::uint64_t address) {
    return std::bit_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
}

} // namespace

SimulatedMemory::SimulatedMemory(Kernel& kernel) {
    const auto all = kernel.scheduler().slots();
    slots = reinterpret_cast<std::uintptr_t>(all.data());
    slot_count = all.size();
    pointer_bytes = sizeof(void*);
    offsets = own_wait_offsets();
}

bool SimulatedMemory::read(std::uint64_t address, std::span<std::byte> out) {
    std::copy_n(place_of(address), out.size(), out.begin());
    return true;
}

std::string SimulatedMemory::function_at(std::uint64_t address) {
    static std::unordered_map<std::uint64_t, std::string> known;
    const auto [name, is_new] = known.try_emplace(address);
    Dl_info info{};
    const void* const place = place_of(address);
    if (is_new && dladdr(place, &info) != 0 && info.dli_saddr == place)
        name->second = demangled(info.dli_sname);
    return name->second;
}

std::uint32_t SimulatedMemory::code_place(std::uint64_t address) {
    return board::in_loaded_code(address) ? board::code_offset(address) : 0;
}

} // namespace mesh::host
