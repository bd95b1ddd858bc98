#include "shard.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

std::string Shard::text() const { return fmt::format("{}/{}", number, of); }

std::optional<Shard> shard_of(std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto number = number_in<std::uint32_t>(text.substr(0, slash));
    const auto of = number_in<std::uint32_t>(text.substr(std::min(slash + 1, text.size())));
    if (!number || !of || *number == 0 || *number > *of)
        return std::nullopt;
    return Shard{*number, *of};
}

Shard shard_given(std::string_view text) {
    const std::optional<Shard> shard = text.empty() ? Shard{} : shard_of(text);
    if (!shard)
        refuse("--shard '{}': allowed: K/N, the runs of machine K of N, K from 1 to N", text);
    return *shard;
}

void check_shard(const Shard& shard, std::uint64_t runs) {
    if (shard.of > runs)
        refuse("--shard {}: there {} only; allowed: at most that many shards", shard.text(),
               runs == 1 ? "is 1 run" : fmt::format("are {} runs", runs));
}

} // namespace mesh::host
