// The counters of a node as a program reads them: by name, with the reason of each one.
//
//   for (std::size_t number = 0; number < kCounterCount; ++number)
//       if (const Count count = count_of(node, static_cast<Counter>(number)); count.value != 0)
//           print("{} {}: {}\n", count.name, count.value, count.reason);
#pragma once

#include "kernel/node/kernel.hpp"
#include "wire/counters.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mesh {

/// One counter of a node.
struct Count {
    std::string_view name;   ///< As in the report of a run; those of drops begin with "drop_".
    std::string_view reason; ///< Why a node counts one more.
    std::uint32_t value;     ///< How often that was so; of a high-water mark the most.
};

/// A counter of `node`, as far as it has counted; any but kCount.
inline Count count_of(Kernel& node, Counter counter) {
    const CounterWords& words = kCounterWords[static_cast<std::size_t>(counter)];
    std::uint32_t value = node.counters()[counter];
    if (counter == Counter::buffers_used_max)
        value = node.pool().used_max();
    if (counter == Counter::arena_bytes_max)
        value = static_cast<std::uint32_t>(node.arena().high_water_bytes());
    return {words.name, words.reason, value};
}

/// The same by name; nothing if no counter has it.
inline std::optional<Count> count_of(Kernel& node, std::string_view name) {
    for (std::size_t number = 0; number < kCounterCount; ++number)
        if (kCounterWords[number].name == name)
            return count_of(node, static_cast<Counter>(number));
    return std::nullopt;
}

} // namespace mesh
