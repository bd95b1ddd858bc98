#include "nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kNamesMax = 3;
constexpr std::size_t kFar = 100;

/// The words that other tools have for some of our options and commands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kElsewhere{
    {{"--json", "--report"},
     {"--nodes", "--dim"},
     {"--size", "--dim"},
     {"--np", "--ranks"},
     {"--verbose", "--log"},
     {"-o", "--output"}}};

/// Letters to be put in, left out, changed or changed with the next, to make one of the other.
std::size_t changes(std::string_view one, std::string_view other) {
    std::vector<std::size_t> before(other.size() + 1);
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t at = 0; at < one.size(); ++at) {
        std::vector<std::size_t> next(other.size() + 1, at + 1);
        for (std::size_t to = 0; to < other.size(); ++to) {
            const bool same = one[at] == other[to];
            next[to + 1] = std::min({row[to] + (same ? 0 : 1), row[to + 1] + 1, next[to] + 1});
            if (at != 0 && to != 0 && one[at] == other[to - 1] && one[at - 1] == other[to])
                next[to + 1] = std::min(next[to + 1], before[to - 1] + 1);
        }
        before = std::exchange(row, std::move(next));
    }
    return row.back();
}

/// All letters of one stand in the other, in their order: bcast in broadcast.
bool stands_in(std::string_view one, std::string_view other) {
    for (const char letter : other)
        if (!one.empty() && one.front() == letter)
            one.remove_prefix(1);
    return one.empty();
}

/// How far a name is from what was typed; kFar if nobody would take one for the other.
std::size_t distance(std::string_view word, std::string_view name) {
    constexpr std::size_t kLettersMin = 3;
    const std::string typed = in_small_letters(word);
    const std::string known = in_small_letters(name);
    if (std::ranges::find(kElsewhere, std::pair{std::string_view(typed), name}) != kElsewhere.end())
        return 0;
    const std::size_t letters = known.size() - known.find_first_not_of('-');
    const std::size_t different = changes(typed, known);
    if (different <= 1 + letters / 4 && different < letters)
        return different;
    const std::size_t dashes = typed.find_first_not_of('-');
    if (dashes == std::string::npos)
        return kFar;
    const std::string_view rest = std::string_view(typed).substr(dashes);
    const std::string_view plain = std::string_view(known).substr(known.size() - letters);
    const bool begins = plain.starts_with(rest);
    const bool within = std::min(rest.size(), plain.size()) >= kLettersMin &&
                        (stands_in(plain, rest) || stands_in(rest, plain));
    return begins || within ? letters + different : kFar;
}

} // namespace

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return small;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const std::string_view name : names)
        if (const std::size_t far = distance(word, name); far != kFar)
            near.emplace_back(far, name);
    std::ranges::stable_sort(near, {}, [](const auto& one) { return one.first; });
    near.resize(std::min(near.size(), kNamesMax));
    std::vector<std::string_view> meant;
    for (const auto& [far, name] : near)
        meant.push_back(name);
    return meant.empty() ? std::string{} : fmt::format("did you mean {}? ", fmt::join(meant, ", "));
}

} // namespace mesh::host
