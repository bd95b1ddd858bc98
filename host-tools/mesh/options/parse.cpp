#include "parse.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/nearest.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/common/wrap.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
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

/// A number that begins with zeros is decimal all the same. UsageError: it is too large for any
/// option, and some versions of the parser would take another one for it.
std::string decimal(const std::string& option, std::string text) {
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    if (!is_number(std::string_view(text).substr(sign)))
        return text;
    text.erase(sign, std::min(text.find_first_not_of('0', sign), text.size() - 1) - sign);
    if (!number_in<std::uint64_t>(std::string_view(text).substr(sign)))
        refuse("{} '{}': allowed: a number of at most 64 bits", option, text);
    return text;
}

/// Bytes, as many as k, M or G behind the number say; KiB, MiB and GiB are the same.
std::string bytes_in(const std::string& option, std::string text) {
    constexpr std::string_view kUnits = "kMG";
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string unit = text.substr(digits);
    if (unit.size() == 3 && unit.ends_with("iB"))
        unit.resize(1);
    if (unit == "K")
        unit = "k";
    const std::size_t power = unit.size() == 1 ? kUnits.find(unit) : kUnits.npos;
    if (digits == 0 || power == kUnits.npos)
        return decimal(option, std::move(text));
    const auto value = number_in<std::uint64_t>(std::string_view(text).substr(0, digits));
    const unsigned shift = 10 * static_cast<unsigned>(power + 1);
    if (!value || *value > std::numeric_limits<std::uint64_t>::max() >> shift)
        return text; // which is refused
    return std::to_string(*value << shift);
}

bool takes_bytes(const std::string& option) {
    return option == "--bytes" || option == "--packet" || option == "--heap";
}

void read_numbers_as_people_do(CLI::App& app) {
    for (CLI::Option* const option : app.get_options()) {
        const std::string name = option->get_name();
        const std::string type = option->get_type_name();
        if (takes_bytes(name) || type == "INT" || type == "UINT")
            option->transform([name, read = takes_bytes(name) ? bytes_in : decimal](
                                  std::string text) { return read(name, std::move(text)); });
    }
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

/// All names of an app's options, with their dashes.
std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : app.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
        for (const std::string& name : option->get_snames())
            names.push_back("-" + name);
    }
    return names;
}

/// "--dim = three", in our words.
std::string not_converted(const CLI::App& app, std::string_view text) {
    const std::size_t is = text.find(" = ");
    const std::string option(text.substr(0, is));
    const CLI::Option* const found = app.get_option_no_throw(option);
    const std::string type = found == nullptr ? std::string{} : found->get_type_name();
    return fmt::format("{} '{}': allowed: a {}number{}", option,
                       is == text.npos ? std::string_view{} : text.substr(is + 3),
                       type == "FLOAT" ? "" : "whole ",
                       takes_bytes(option) ? ", with k, M or G behind it, as 4k or 4KiB" : "");
}

/// The first line of a parser's complaint. Unknown words are named before missing ones: an unknown
/// word may be the missing one, mistyped.
std::string one_line(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app.remaining(true);
    const auto option = std::ranges::find_if(
        unknown, [](const std::string& word) { return word.starts_with('-'); });
    const std::string_view text = error.what();
    const std::string line(text.substr(0, text.find('\n')));
    constexpr std::string_view kNotConverted = "Could not convert: ";
    if (line.starts_with(kNotConverted))
        return not_converted(command, std::string_view(line).substr(kNotConverted.size()));
    if (option != unknown.end())
        return fmt::format("The following argument was not expected: {}; {}", *option,
                           did_you_mean(option->substr(0, option->find('=')), options_of(command)));
    if (const CLI::Option* const missing =
            command.get_option_no_throw(line.substr(0, line.find(' ')));
        missing != nullptr && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
        return fmt::format("{}: {}", line, missing->get_description());
    return line;
}

/// `mesh help run` is `mesh run --help`; `mesh help`, and mesh alone, are `mesh --help`.
std::vector<const char*> asked(int count, const char* const* words) {
    std::vector<const char*> all(words, words + count);
    const bool help = count > 1 && all[1] == std::string_view("help");
    if (help)
        all.erase(all.begin() + 1);
    if (help || count == 1)
        all.push_back("--help");
    return all;
}

/// The first word names a command, or is an option. UsageError.
void check_command(const CLI::App& app, std::string_view word) {
    std::vector<std::string> names = commands_of(app);
    if (word.starts_with('-') || std::ranges::find(names, word) != names.end())
        return;
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    for (const char* const other : {"help", "--version"})
        names.emplace_back(other);
    refuse("'{}': no such command; {}commands: {} (each with --help)", word,
           did_you_mean(word, names), list);
}

} // namespace

std::optional<HelpText> parse(CLI::App& app, int count, const char* const* words) {
    const auto formatter = std::make_shared<HelpFormatter>();
    app.formatter(formatter);
    for (CLI::App* const command : app.get_subcommands({})) {
        command->formatter(formatter);
        read_numbers_as_people_do(*command);
    }
    const std::vector<const char*> all = asked(count, words);
    check_command(app, all.at(1));
    try {
        app.parse(static_cast<int>(all.size()), all.data());
    } catch (const CLI::CallForHelp&) {
        const auto chosen = app.get_subcommands();
        return HelpText{chosen.empty() ? app.help() : chosen.front()->help("mesh")};
    } catch (const CLI::CallForVersion& version) {
        return HelpText{fmt::format("{}\n", version.what())};
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        const std::string line = one_line(app, chosen.empty() ? app : *chosen.front(), error);
        const bool excluded = dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr;
        refuse(excluded ? kCombination : Refusal::value, "{}{}see mesh {}--help", line,
               line.ends_with(' ') ? "" : "; ",
               chosen.empty() ? "" : chosen.front()->get_name() + " ");
    }
    return std::nullopt;
}

} // namespace mesh::host
