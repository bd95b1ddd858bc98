#include "never_awaited.hpp"

#include "compiler_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>

namespace mesh::host {

namespace {

/// Facts about a variable or a type.
struct Entry {
    std::string tag, name, line;
    std::vector<std::string> types; // its own, and those that it inherits from
};

/// The text between two marks; "" without them.
std::string between(const std::string& line, std::string_view first, std::string_view last) {
    const std::size_t begin = line.find(first);
    if (begin == line.npos)
        return {};
    const std::size_t from = begin + first.size();
    const std::size_t end = line.find(last, from);
    return end == line.npos ? std::string{} : line.substr(from, end - from);
}

std::string behind_colon(const std::string& line) {
    return line.substr(std::min(line.rfind(": "), line.size() - 2) + 2);
}

/// The debug information, by where each entry begins.
class Entries {
public:
    explicit Entries(const std::string& listing) {
        std::vector<std::string> above; // where the entries begin that this one lies in
        std::istringstream lines(listing);
        std::string at;
        for (std::string line; std::getline(lines, line);) {
            if (line.find(">: Abbrev Number: ") != line.npos) {
                const std::string level = between(line, "<", ">");
                at = between(line, "><", ">");
                above.resize(level.empty() ? 0 : std::stoul(level));
                std::string tag = between(line, "(DW_TAG_", ")");
                if (tag == "inheritance" && !above.empty())
                    at = above.back();
                else
                    all_[at].tag = std::move(tag);
                above.push_back(at);
            } else if (line.find(" DW_AT_name ") != line.npos) {
                all_[at].name = line.substr(behind(line));
            } else if (line.find(" DW_AT_decl_line ") != line.npos) {
                all_[at].line = behind_colon(line);
            } else if (line.find(" DW_AT_type ") != line.npos) {
                all_[at].types.push_back(between(line, ": <0x", ">"));
            }
        }
    }

    /// True if a variable of this name in this line is of a type that is to be awaited.
    bool waits(const std::string& name, const std::string& line) const {
        return std::ranges::any_of(all_, [&](const auto& one) {
            const Entry& entry = one.second;
            return entry.tag == "variable" && entry.name == name && entry.line == line &&
                   !entry.types.empty() && is_awaited(entry.types.front());
        });
    }

private:
    /// Where the name begins: behind where it lies.
    static std::size_t behind(const std::string& line) {
        const std::size_t indirect = line.find("): ");
        return indirect != line.npos ? indirect + 3 : line.find(": ") + 2;
    }

    bool is_awaited(const std::string& where) const {
        const auto found = all_.find(where);
        if (found == all_.end())
            return false;
        const Entry& type = found->second;
        const bool passes = type.tag.ends_with("_type") && type.tag != "pointer_type" &&
                            type.tag != "array_type" && type.tag != "reference_type";
        return type.name == "Waiting" || type.name.starts_with("Task<") ||
               (passes && std::ranges::any_of(type.types, [this](const std::string& other) {
                    return is_awaited(other);
                }));
    }

    std::map<std::string, Entry> all_;
};

} // namespace

std::vector<UnusedVariable> unused_variables(std::string_view said) {
    constexpr std::string_view kWarning = ": warning: unused variable '";
    std::vector<UnusedVariable> all;
    for (const std::string& line : warnings_in(said))
        if (const auto at = line.find(kWarning); at != line.npos)
            all.push_back({line.substr(0, at), between(line, kWarning, "'")});
    return all;
}

std::string never_awaited(const std::vector<UnusedVariable>& unused, const std::string& listing) {
    const Entries entries(listing);
    std::string said;
    for (const auto& [place, name] : unused) {
        const std::string without_column = place.substr(0, place.rfind(':'));
        if (entries.waits(name, without_column.substr(without_column.rfind(':') + 1)))
            said += fmt::format("{}: error: '{}' is a call that nobody awaits, so it never begins: "
                                "co_await {}\n",
                                place, name, name);
    }
    return said;
}

} // namespace mesh::host
