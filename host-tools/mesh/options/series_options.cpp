#include "series_options.hpp"

#include "host-tools/mesh/common/text.hpp"

namespace mesh::host {

std::optional<SeedRange> seed_range_of(std::string_view text) {
    const std::size_t dots = text.find("..");
    const auto first = number_in<std::uint64_t>(text.substr(0, dots));
    const auto last =
        dots == std::string_view::npos ? first : number_in<std::uint64_t>(text.substr(dots + 2));
    if (!first || !last || *last < *first)
        return std::nullopt;
    return SeedRange{*first, *last};
}

} // namespace mesh::host
