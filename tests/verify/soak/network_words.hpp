// A network as the programs of tests are told it: NAME:DIM, "uhc:3".
#pragma once

#include "core/network.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>

namespace mesh::soak {

inline bool read_number(std::string_view word, unsigned& number) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} && end == word.data() + word.size();
}

/// False if there is no such network, or it has more than four dimensions.
inline bool read_network(std::string_view word, Network& network) {
    const std::size_t colon = word.find(':');
    unsigned dim = 0;
    if (colon == word.npos || !read_number(word.substr(colon + 1), dim) || dim > 4)
        return false;
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        if (word.substr(0, colon) == name(topology)) {
            network = {topology, static_cast<std::uint8_t>(dim)};
            return valid(network);
        }
    return false;
}

} // namespace mesh::soak
