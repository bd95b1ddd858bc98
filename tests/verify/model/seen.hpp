// Which states an exploration has seen.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mesh::model {

/// Keys of 64 bits, in open addressing; 0 is not a key.
class Seen {
public:
    explicit Seen(std::size_t states) : keys_(std::bit_ceil(2 * states + 1024)) {}
    /// False if it was there.
    bool add(std::uint64_t key) {
        key |= key == 0 ? 1u : 0u;
        std::size_t at = key & (keys_.size() - 1);
        while (keys_[at] != 0 && keys_[at] != key)
            at = (at + 1) & (keys_.size() - 1);
        const bool is_new = keys_[at] == 0;
        keys_[at] = key;
        return is_new;
    }

private:
    std::vector<std::uint64_t> keys_;
};

} // namespace mesh::model
