#include "list_format.hpp"

#include "tables.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace mesh::host {

bool is_json(std::string_view format) {
    constexpr std::array<std::string_view, 2> kFormats{"text", "json"};
    return place_of(kFormats, format, "--format") == 1;
}

void print_json(std::span<const std::string_view> keys,
                const std::vector<std::vector<std::string>>& rows) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const std::vector<std::string>& row : rows) {
        Json one;
        for (std::size_t at = 0; at < row.size(); ++at)
            one[std::string(keys[at])] = row[at];
        list.push_back(std::move(one));
    }
    fmt::print("{}\n", list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace mesh::host
