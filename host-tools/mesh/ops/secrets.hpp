// The numbers of --secret: what a node knows and no other one does, until it is told.
#pragma once

#include "host-tools/mesh/cables/faults.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mesh::host {

/// They are below this.
inline constexpr std::uint32_t kSecretsEnd = 1000;
/// Of one as a word, with its NUL.
inline constexpr std::size_t kSecretBytesMax = 4;

/// The numbers of a node in a run with this seed.
inline std::vector<std::uint32_t> secrets_of(std::uint64_t seed, std::uint32_t node,
                                             unsigned count) {
    constexpr std::uint64_t kStream = 0x7365'6372'6574; // of no cable
    Rng rng(seed, kStream + node);
    std::vector<std::uint32_t> secrets(count);
    for (std::uint32_t& secret : secrets)
        secret = static_cast<std::uint32_t>(rng.below(kSecretsEnd));
    return secrets;
}

} // namespace mesh::host
