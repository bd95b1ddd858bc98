// Blocks of pcapng, one behind the other in memory that grows and never shrinks.
#pragma once

#include "pcapng.hpp"
#include "wire/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// An option's length is 16 bits.
inline constexpr std::size_t kOptionBytesMax = 65'532;

/// Bytes, filled up to a whole word. Returns where they end.
inline std::byte* fill(std::byte* place, std::span<const std::byte> bytes) {
    std::memcpy(place, bytes.data(), bytes.size());
    const std::size_t rest = pcapng::padded(bytes.size()) - bytes.size();
    std::memset(place + bytes.size(), 0, rest);
    return place + bytes.size() + rest;
}

class BlockBuffer {
public:
    std::span<const std::byte> bytes() const { return std::span(bytes_).first(used_); }
    void clear() { used_ = 0; }

    /// Room for so many more bytes, whatever was there before.
    std::byte* grow(std::size_t bytes) {
        if (bytes_.size() - used_ < bytes)
            bytes_.resize(2 * used_ + bytes);
        return bytes_.data() + std::exchange(used_, used_ + bytes);
    }
    void put(std::span<const std::byte> bytes) { fill(grow(pcapng::padded(bytes.size())), bytes); }
    template <class T>
    void put_word(T value) {
        static_assert(sizeof value % 4 == 0);
        put(wire::bytes_of(value));
    }
    /// A value that fills an option goes on in another one of the same code.
    void put_option(std::uint16_t code, std::string_view value) {
        for (; value.size() >= kOptionBytesMax; value.remove_prefix(kOptionBytesMax))
            put_part(code, value.substr(0, kOptionBytesMax));
        put_part(code, value);
    }
    void begin_block(std::uint32_t type) {
        block_ = used_;
        put_word(type);
        put_word(std::uint32_t{0}); // its length, when that is known
    }
    void end_block() {
        const auto bytes = static_cast<std::uint32_t>(used_ - block_ + sizeof(std::uint32_t));
        wire::store(bytes_, block_ + sizeof bytes, bytes);
        put_word(bytes);
    }

private:
    void put_part(std::uint16_t code, std::string_view value) {
        put_word(static_cast<std::uint32_t>(code | (value.size() << 16)));
        put(std::as_bytes(std::span(value)));
    }

    std::vector<std::byte> bytes_;
    std::size_t used_ = 0;  // of them
    std::size_t block_ = 0; // where the block begins that is being written
};

} // namespace mesh::host
