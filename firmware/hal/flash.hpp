// Memory that keeps its bytes without power, as the loader of a board may have it (boards/loader):
// a part of its own contract, which the kernel does not know.
//
// Power may fail at any time. A block whose erase was cut short, and a unit whose write was, may
// have any bytes afterwards, and other ones at the next reading; all others are as they were. So
// who uses them must erase them once more first (onecable/image_store.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::hal {

template <class F>
concept HasFlash = requires(F flash, std::uint32_t position, std::span<const std::byte> in,
                            std::span<std::byte> out) {
    /// Bytes that are erased together, and the unit of a write, of which that is a multiple.
    { F::kEraseBytes } -> std::convertible_to<std::uint32_t>;
    { F::kWriteBytes } -> std::convertible_to<std::uint32_t>;
    /// Bytes that are there for images, a multiple of kEraseBytes; 0: there is no such memory, and
    /// nothing else is called.
    { flash.bytes() } -> std::same_as<std::uint32_t>;
    /// Makes all bytes of the block at `position` (a multiple of kEraseBytes) 0xFF. Returns when
    /// that is done: 1 to 3,000 ms on usual parts. False: the part says that it failed.
    { flash.erase(position) } -> std::same_as<bool>;
    /// Writes whole units at `position` (a multiple of kWriteBytes), none of them twice since its
    /// block was erased. Returns when that is done. False: the part says that it failed.
    { flash.write(position, in) } -> std::same_as<bool>;
    /// Any bytes, from anywhere.
    { flash.read(position, out) } -> std::same_as<void>;
};

/// The flash of a board that has none.
struct NullFlash {
    static constexpr std::uint32_t kEraseBytes = 1;
    static constexpr std::uint32_t kWriteBytes = 1;

    static constexpr std::uint32_t bytes() { return 0; }
    static bool erase(std::uint32_t /*position*/) { return false; }
    static bool write(std::uint32_t /*position*/, std::span<const std::byte> /*in*/) {
        return false;
    }
    static void read(std::uint32_t /*position*/, std::span<std::byte> /*out*/) {}
};
static_assert(HasFlash<NullFlash>);

} // namespace mesh::hal
