#include "matrix_file.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/nearest.hpp"
#include "host-tools/mesh/common/text_file.hpp"
#include "host-tools/mesh/ops/expected_steps.hpp"
#include "host-tools/mesh/options/run_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace mesh::host {

namespace {

constexpr std::string_view kExpectSteps = "expect-steps";
constexpr std::string_view kAllowRefused = "allow-refused";
constexpr std::string_view kForbid = "forbid";
constexpr std::string_view kSeed = "seed";
constexpr std::string_view kWords = "words";
constexpr std::size_t kCasesMax = 100'000;

/// A key with its values, in the order of the file.
struct Dimension {
    std::string key;
    std::vector<std::string> values;
    bool listed = false;
    toml::source_position place;
};

template <class... T>
[[noreturn]] void refuse_at(const std::string& path, const toml::source_position& place,
                            fmt::format_string<T...> text, T&&... values) {
    refuse("{}:{}: {}", path, place.line, fmt::format(text, std::forward<T>(values)...));
}

bool has(const std::vector<MatrixKey>& keys, std::string_view name) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const MatrixKey& one) { return one.name == name; });
}

/// A value as a word of the command line.
std::string word_of(const std::string& path, std::string_view key, const toml::node& value) {
    if (const auto text = value.value_exact<std::string>())
        return *text;
    if (const auto number = value.value_exact<std::int64_t>())
        return fmt::format("{}", *number);
    if (const auto number = value.value_exact<double>())
        return fmt::format("{}", *number);
    if (const auto flag = value.value_exact<bool>())
        return *flag ? "true" : "false";
    refuse_at(path, value.source().begin, "{}: allowed: a word, a number, true, false, or a list",
              key);
}

/// A range of seeds stands for each of them.
void add_value(Dimension& dimension, const std::string& word) {
    const auto seeds = dimension.key == kSeed ? seed_range_of(word) : std::nullopt;
    if (!seeds || seeds->last - seeds->first >= kCasesMax) {
        dimension.values.push_back(word); // `mesh run` judges it
        return;
    }
    for (std::uint64_t seed = seeds->first; seed - seeds->first <= seeds->last - seeds->first;
         ++seed)
        dimension.values.push_back(fmt::format("{}", seed));
}

Dimension dimension_of(const std::string& path, const std::vector<MatrixKey>& keys,
                       const toml::key& key, const toml::node& value) {
    Dimension dimension{std::string(key.str()), {}, false, key.source().begin};
    if (!has(keys, dimension.key)) {
        std::vector<std::string> names;
        for (const MatrixKey& one : keys)
            names.push_back(one.name);
        refuse_at(path, dimension.place, "no key '{}'; {}allowed: {}", dimension.key,
                  did_you_mean(dimension.key, names), fmt::join(names, ", "));
    }
    if (const toml::array* const list = value.as_array()) {
        if (list->empty())
            refuse_at(path, dimension.place, "{}: an empty list makes no run", dimension.key);
        for (const toml::node& one : *list)
            add_value(dimension, word_of(path, dimension.key, one));
        if (dimension.key == kForbid) // one value: all of them at once
            dimension.values = {fmt::format("{}", fmt::join(dimension.values, ","))};
    } else {
        add_value(dimension, word_of(path, dimension.key, value));
    }
    dimension.listed = dimension.values.size() > 1;
    return dimension;
}

/// The dimensions of a table, in the order of the file; they replace those that hold for all.
std::vector<Dimension> dimensions_of(const std::string& path, const std::vector<MatrixKey>& keys,
                                     const toml::table& table, std::vector<Dimension> dimensions,
                                     bool in_section) {
    const std::size_t common = dimensions.size();
    for (const auto& [key, value] : table) {
        if (value.is_table() && in_section)
            refuse_at(path, key.source().begin, "a section in a section; allowed: [\"a.b\"]");
        if (value.is_table())
            continue;
        Dimension dimension = dimension_of(path, keys, key, value);
        const auto same =
            std::find_if(dimensions.begin(), dimensions.end(),
                         [&](const Dimension& one) { return one.key == dimension.key; });
        if (same != dimensions.end())
            *same = std::move(dimension);
        else
            dimensions.push_back(std::move(dimension));
    }
    std::sort(dimensions.begin() + static_cast<std::ptrdiff_t>(common), dimensions.end(),
              [](const Dimension& a, const Dimension& b) { return a.place.line < b.place.line; });
    return dimensions;
}

bool truth_of(const std::string& path, const Dimension& dimension, const std::string& value) {
    if (value != "true" && value != "false")
        refuse_at(path, dimension.place, "{} '{}': allowed: true, false", dimension.key, value);
    return value == "true";
}

bool is_flag(std::string_view key) {
    static const std::vector<RunOption> options = run_options();
    return std::any_of(options.begin(), options.end(),
                       [&](const RunOption& option) { return option.name == key && option.flag; });
}

/// Adds a key with this value to a case, as options or as an expectation.
void apply(const std::string& path, const Dimension& dimension, const std::string& value,
           const std::vector<MatrixKey>& more, MatrixCase& made) {
    if (dimension.listed)
        made.name += fmt::format(" {}={}", dimension.key, value);
    if (has(more, dimension.key)) {
        made.more[dimension.key] = value;
    } else if (dimension.key == kExpectSteps) {
        if (!is_expected_steps(value))
            refuse_at(path, dimension.place, "{} '{}': allowed: formula, or a number",
                      dimension.key, value);
        made.expect_steps = value;
    } else if (dimension.key == kAllowRefused) {
        made.allow_refused = truth_of(path, dimension, value);
    } else if (dimension.key == kWords) {
        std::istringstream words(value);
        made.words.assign(std::istream_iterator<std::string>(words), {});
    } else if (is_flag(dimension.key)) {
        if (truth_of(path, dimension, value))
            made.options.push_back("--" + dimension.key);
    } else {
        made.options.push_back(fmt::format("--{}={}", dimension.key, value));
    }
}

/// Adds the product of all dimensions.
void add_product(const std::string& path, std::string_view section,
                 const std::vector<Dimension>& dimensions, const std::vector<MatrixKey>& more,
                 std::vector<MatrixCase>& cases) {
    std::size_t count = 1;
    for (const Dimension& dimension : dimensions) {
        count *= dimension.values.size();
        if (cases.size() + count > kCasesMax)
            refuse("{}: [{}]: more than {} runs", path, section, kCasesMax);
    }
    for (std::size_t number = 0; number < count; ++number) {
        MatrixCase made;
        made.name = made.section = section;
        std::size_t step = count;
        for (const Dimension& dimension : dimensions) { // the last one changes fastest
            step /= dimension.values.size();
            apply(path, dimension, dimension.values[number / step % dimension.values.size()], more,
                  made);
        }
        if (!made.words.empty())
            made.options.emplace_back("--");
        made.options.insert(made.options.end(), made.words.begin(), made.words.end());
        cases.push_back(std::move(made));
    }
}

void number_equal_names(std::vector<MatrixCase>& cases) {
    std::map<std::string, unsigned> times;
    for (MatrixCase& made : cases)
        if (const unsigned number = ++times[made.name]; number != 1)
            made.name += fmt::format(" #{}", number);
}

toml::table parse(const std::string& path) {
    const std::string text = read_text(path, "mesh matrix");
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        refuse_at(path, error.source().begin, "{}", error.description());
    }
}

} // namespace

std::vector<MatrixKey> matrix_keys() {
    std::vector<MatrixKey> keys{
        {std::string(kAllowRefused),
         "true: a run whose options do not go together is listed apart, not failed"},
        {std::string(kWords), "the words behind --, parted by blanks: of each text, one run"}};
    for (const RunOption& option : run_options())
        if (!is_limited("--" + option.name, kNotInMatrix))
            keys.push_back({option.name, option.phrase});
    return keys;
}

std::vector<MatrixCase> read_matrix(const std::string& path, const std::vector<MatrixKey>& more) {
    const toml::table file = parse(path);
    std::vector<MatrixKey> keys = matrix_keys();
    keys.insert(keys.end(), more.begin(), more.end());
    const std::vector<Dimension> common = dimensions_of(path, keys, file, {}, false);
    std::vector<std::pair<toml::source_position, std::string>> sections;
    for (const auto& [key, value] : file)
        if (value.is_table())
            sections.emplace_back(key.source().begin, key.str());
    if (sections.empty())
        refuse("{}: no section; a scenario begins with [its name]", path);
    std::sort(sections.begin(), sections.end(),
              [](const auto& a, const auto& b) { return a.first.line < b.first.line; });
    std::vector<MatrixCase> cases;
    for (const auto& [place, name] : sections)
        add_product(path, name, dimensions_of(path, keys, *file[name].as_table(), common, true),
                    more, cases);
    number_equal_names(cases);
    return cases;
}

} // namespace mesh::host
