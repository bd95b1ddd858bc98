#include "junit.hpp"

#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/text_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

bool has_been_written = false;

/// One line as XML 1.0 can hold it: what it cannot is made visible.
std::string escaped(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEscapes{
        {{"&", "&amp;"},
         {"<", "&lt;"},
         {">", "&gt;"},
         {"\"", "&quot;"},
         {"\t", "&#9;"},
         {"\xef\xbf\xbe", "\\u{fffe}"}, // no character, as U+FFFF
         {"\xef\xbf\xbf", "\\u{ffff}"}}};
    std::string xml;
    const std::string clean = cleaned(text);
    for (std::string_view rest = clean; !rest.empty();) {
        const auto* const found = std::ranges::find_if(
            kEscapes, [&](const auto& one) { return rest.starts_with(one.first); });
        const bool plain = found == kEscapes.end();
        xml += plain ? rest.substr(0, 1) : found->second;
        rest.remove_prefix(plain ? 1 : found->first.size());
    }
    return xml;
}

std::string escaped_lines(std::string_view text) {
    std::string xml;
    for (const std::string_view line : lines_in(text))
        xml += escaped(line) + "\n";
    return xml;
}

bool is_error(const CaseResult& result) {
    return result.verdict == CaseVerdict::failed && result.kind == kOfSignal;
}

std::string title_of(const CaseResult& result) {
    return result.work.title.empty() ? result.work.name : result.work.title;
}

std::string element_of(std::string_view suite, const CaseResult& result, std::string_view title) {
    std::string xml = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">",
                                  escaped(result.work.group.empty() ? suite : result.work.group),
                                  escaped(title), result.seconds);
    const bool of_compiler = result.kind == name_of(Refusal::build);
    if (result.verdict == CaseVerdict::failed)
        xml += fmt::format(
            "<{0} type=\"{1}\" message=\"{2}\">{2}\n{3}repeat: {4}</{0}>",
            is_error(result) ? "error" : "failure", escaped(result.kind), escaped(result.reason),
            of_compiler ? escaped_lines(result.said) : std::string{}, escaped(result.repeat));
    else if (result.verdict == CaseVerdict::refused)
        xml += fmt::format("<skipped message=\"{}\"/>", escaped(result.reason));
    return xml + "</testcase>\n";
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

} // namespace

void write_junit(const std::string& path, std::string_view suite,
                 std::span<const CaseResult> results, double seconds) {
    const auto errors = static_cast<std::size_t>(std::ranges::count_if(results, is_error));
    const auto begun = std::chrono::system_clock::now() -
                       std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    std::string xml = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"{}\" timestamp=\"{:%Y-%m-%dT%H:%M:%S}\" hostname=\"{}\" tests=\"{}\" "
        "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\">\n  <properties/>\n",
        escaped(suite), fmt::gmtime(std::chrono::system_clock::to_time_t(begun)),
        escaped(host_name()), results.size(), count_of(results, CaseVerdict::failed) - errors,
        errors, count_of(results, CaseVerdict::refused), seconds);
    std::map<std::string, unsigned> times; // that a name has been given in its class
    for (const CaseResult& result : results) {
        const std::string title = title_of(result);
        const unsigned number = ++times[result.work.group + '\n' + title];
        xml +=
            element_of(suite, result, number == 1 ? title : fmt::format("{} #{}", title, number));
    }
    xml += "  <system-out/>\n  <system-err/>\n</testsuite>\n";
    has_been_written = true;
    write_whole(path, std::as_bytes(std::span(xml)), "--junit");
}

void leave_junit(std::span<const char* const> words, const std::string& reason,
                 std::string_view kind, const std::string& said) {
    constexpr std::string_view kOption = "--junit";
    std::string path;
    std::vector<std::string> others;
    for (std::size_t at = 1; at < words.size() && words[at] != std::string_view("--"); ++at) {
        const std::string_view word = words[at];
        if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('='))
            path = word.substr(kOption.size() + 1);
        else if (word == kOption && at + 1 < words.size())
            path = words[++at];
        else
            others.emplace_back(word);
    }
    if (path.empty() || has_been_written)
        return;
    CaseResult result;
    result.work.name = shell_line(others);
    result.kind = kind;
    result.reason = reason;
    result.said = said;
    result.repeat = shell_line({words.begin(), words.end()});
    try {
        write_junit(path, "mesh", std::span(&result, 1), 0);
    } catch (const RunError& error) {
        std::ignore = error; // why the command has failed is told already
    }
}

} // namespace mesh::host
