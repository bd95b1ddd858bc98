// Names for a word that is none of them: what its writer may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The text with the letters of English small.
std::string in_small_letters(std::string_view text);

/// "did you mean bcast? " for a word that is nearly one of these names, the nearest first, or that
/// other tools have for it; "" if it is near none.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

/// The same of any list of texts.
template <class Names>
std::string did_you_mean(std::string_view word, const Names& names) {
    const std::vector<std::string_view> all(std::begin(names), std::end(names));
    return did_you_mean(word, std::span(all));
}

} // namespace mesh::host
