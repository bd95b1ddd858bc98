#include "parse.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/wrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

class HelpFormatter final : public CLI::Formatter {
public:
    std::string make_option(const CLI::Option* option, bool positional) const override {
        return in_columns(
            fmt::format("  {}{}", make_option_name(option, positional), make_option_opts(option)),
            make_option_desc(option));
    }
    std::string make_subcommand(const CLI::App* command) const override {
        return in_columns("  " + command->get_name(), command->get_description());
    }
};

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char character) {
        return character >= '0' && character <= '9';
    });
}

/// A number that begins with zeros is decimal all the same.
std::string decimal(std::string text) {
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    if (is_number(std::string_view(text).substr(sign)))
        text.erase(sign, std::min(text.find_first_not_of('0', sign), text.size() - 1) - sign);
    return text;
}

/// Bytes, as many as k, M or G behind the number say.
std::string bytes_in(std::string text) {
    constexpr std::string_view kUnits = "kMG";
    const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
    const std::string_view number = std::string_view(text).substr(0, text.size() - !text.empty());
    if (unit == kUnits.npos || !is_number(number))
        return decimal(std::move(text));
    std::uint64_t value = 0;
    const unsigned shift = 10 * static_cast<unsigned>(unit + 1);
    const auto error = std::from_chars(number.data(), number.data() + number.size(), value).ec;
    if (error != std::errc{} || value > std::numeric_limits<std::uint64_t>::max() >> shift)
        return text; // which is refused
    return std::to_string(value << shift);
}

void read_numbers_as_people_do(CLI::App& app) {
    for (CLI::Option* const option : app.get_options()) {
        const std::string name = option->get_name();
        if (name == "--bytes" || name == "--packet" || name == "--heap")
            option->transform(bytes_in);
        else if (const std::string type = option->get_type_name(); type == "INT" || type == "UINT")
            option->transform(decimal);
    }
}

/// The first line of a parser's complaint. Unknown words are named before missing ones: an unknown
/// word may be the missing one, mistyped.
std::string one_line(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app.remaining(true);
    const auto option = std::ranges::find_if(
        unknown, [](const std::string& word) { return word.starts_with('-'); });
    const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (is_missing && option != unknown.end())
        return fmt::format("The following argument was not expected: {}", *option);
    if (is_missing && !unknown.empty() && app.get_subcommands().empty())
        return fmt::format("'{}': no such command", unknown.front());
    const std::string_view text = error.what();
    return std::string(text.substr(0, text.find('\n')));
}

} // namespace

std::optional<HelpText> parse(CLI::App& app, int count, const char* const* words) {
    const auto formatter = std::make_shared<HelpFormatter>();
    app.formatter(formatter);
    for (CLI::App* const command : app.get_subcommands({})) {
        command->formatter(formatter);
        read_numbers_as_people_do(*command);
    }
    try {
        app.parse(count, words);
    } catch (const CLI::CallForHelp&) {
        const auto chosen = app.get_subcommands();
        return HelpText{chosen.empty() ? app.help() : chosen.front()->help("mesh")};
    } catch (const CLI::CallForVersion& version) {
        return HelpText{fmt::format("{}\n", version.what())};
    } catch (const CLI::ParseError& error) {
        const bool chosen = !app.get_subcommands().empty();
        refuse("{}; {}", one_line(app, error),
               chosen ? fmt::format("see mesh {} --help", app.get_subcommands().front()->get_name())
                      : "commands: run, load, matrix, merge, build, new, tree, embed, list, view, "
                        "lab, grade (each with --help)");
    }
    return std::nullopt;
}

} // namespace mesh::host
