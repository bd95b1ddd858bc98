#include "complete_command.hpp"

#include "core/base/operators.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "host-tools/mesh/course/labs.hpp"
#include "host-tools/mesh/ops/families.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/run_options.hpp"
#include "host-tools/mesh/views/view_command.hpp"
#include "list_command.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using Names = std::vector<std::string>;
using Words = std::span<const char* const>;

template <class List>
Names texts(const List& list) {
    return {std::begin(list), std::end(list)};
}

/// The word behind an option that stands before; `otherwise` if it does not.
std::string value_of(Words words, std::string_view option, std::string otherwise) {
    for (std::size_t at = 0; at + 1 < words.size(); ++at)
        if (words[at] == option)
            otherwise = words[at + 1];
    return otherwise;
}

Names trees(Words words) {
    const std::string topology = value_of(words, "--topology", "cube");
    const auto known = texts(topology_names());
    if (std::ranges::find(known, topology) == known.end())
        return {};
    return texts(tree_names(least_network(topology, 1).topology));
}

Names formats(Words words) {
    const std::string_view command = words.front();
    if (command == "view")
        return texts(view_formats());
    if (command == "tree")
        return {"json", "dot", "svg", "text"};
    if (command == "embed")
        return {"json", "svg"};
    return {"text", "json"};
}

Names element_types(Words words) {
    return value_of(words, "--op", "") == "sort" ? Names{"i32", "lines"} : texts(kElementNames);
}

Names labs_by_name() {
    Names names;
    for (const Lab& lab : labs())
        names.push_back(lab.name);
    return names;
}

constexpr std::array<std::string_view, 2> kLayouts{"network", "levels"};
constexpr std::array<std::string_view, 2> kGuests{"tree", "grid"};
constexpr std::array<std::string_view, 2> kKinds{"relay", "loaded"};
constexpr std::array<std::string_view, 4> kShown{"compiler", "compile", "link", "libraries"};
constexpr std::array<std::string_view, 2> kLanguages{"c++", "c"};
constexpr std::array<std::string_view, 1> kTargets{"random"};

template <const auto& List>
Names of(Words /*words*/) {
    return texts(List);
}

/// Options whose values have names, and the names. All other values are numbers, or files.
constexpr std::array<std::pair<std::string_view, Names (*)(Words)>, 21> kValues{
    {{"--op", [](Words) { return names_in("ops"); }},
     {"--app", [](Words) { return names_in("apps"); }},
     {"--tree", trees},
     {"--schedule", [](Words) { return names_in("schedules"); }},
     {"--topology", [](Words) { return names_in("topologies"); }},
     {"--board", [](Words) { return names_in("boards"); }},
     {"--faults", [](Words) { return names_in("faults"); }},
     {"--route", [](Words) { return texts(route_names()); }},
     {"--ports", [](Words) { return texts(port_model_names()); }},
     {"--operator", of<kOperatorNames>},
     {"--type", element_types},
     {"--engine", of<kEngines>},
     {"--boot", of<kBoots>},
     {"--format", formats},
     {"--layout", of<kLayouts>},
     {"--guest", of<kGuests>},
     {"--as", of<kKinds>},
     {"--show", of<kShown>},
     {"--language", of<kLanguages>},
     {"--lab", [](Words) { return labs_by_name(); }},
     {"--target", of<kTargets>}}};

Names commands_in(const CLI::App& app) {
    Names names{"help", "--help", "--version"};
    for (const CLI::App* const command :
         app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
        names.push_back(command->get_name());
    return names;
}

/// Words that may stand where no option waits for its value.
Names words_here(const CLI::App& command, Words words) {
    if (!std::string_view(words.back()).starts_with('-')) {
        if (command.get_name() == "list")
            return texts(list_names());
        if (command.get_name() == "lab" && words.size() == 2)
            return {"list", "start"};
        if (command.get_name() == "lab" && words.size() == 3)
            return labs_by_name();
        const bool takes_files = std::ranges::any_of(
            command.get_options(), [](const CLI::Option* one) { return one->get_positional(); });
        if (*words.back() != '\0' || takes_files)
            return {};
    }
    Names names;
    for (const CLI::Option* const option : command.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

Names offered(const CLI::App& app, Words words) {
    if (words.size() < 2 || (words.size() == 2 && words.front() == std::string_view("help")))
        return commands_in(app);
    const auto found =
        app.get_subcommands([&](const CLI::App* one) { return one->check_name(words.front()); });
    if (found.empty())
        return {};
    const CLI::App* const command = found.front();
    const std::string_view before = words[words.size() - 2];
    const CLI::Option* const option =
        before.starts_with('-') ? command->get_option_no_throw(std::string(before)) : nullptr;
    if (option == nullptr || option->get_expected_max() == 0) // of an option that is a flag
        return words_here(*command, words);
    for (const auto& [name, values] : kValues)
        if (option->check_name(std::string(name)))
            return values(words);
    return {};
}

} // namespace

std::string completions(const CLI::App& app, Words words) {
    Names names = offered(app, words);
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names)
        if (words.empty() || name.starts_with(words.back()))
            text += name + "\n";
    return text;
}

} // namespace mesh::host
