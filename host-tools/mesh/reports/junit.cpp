#include "junit.hpp"

#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

namespace {

/// Text as XML can hold it: control characters, which it cannot, are made visible.
std::string escaped(std::string_view text) {
    std::string xml;
    for (const char character : cleaned(text))
        switch (character) {
        case '&': xml += "&amp;"; break;
        case '<': xml += "&lt;"; break;
        case '>': xml += "&gt;"; break;
        case '"': xml += "&quot;"; break;
        case '\t': xml += "&#9;"; break;
        default: xml += character;
        }
    return xml;
}

std::string element_of(std::string_view suite, const CaseResult& result) {
    std::string xml = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">",
                                  escaped(suite), escaped(result.work.name), result.seconds);
    if (result.verdict == CaseVerdict::failed)
        xml += fmt::format("<failure message=\"{}\">{}\nrepeat: {}</failure>",
                           escaped(result.reason), escaped(result.reason), escaped(result.repeat));
    else if (result.verdict == CaseVerdict::refused)
        xml += fmt::format("<skipped message=\"{}\"/>", escaped(result.reason));
    return xml + "</testcase>\n";
}

auto count(std::span<const CaseResult> results, CaseVerdict verdict) {
    return std::count_if(results.begin(), results.end(),
                         [verdict](const CaseResult& result) { return result.verdict == verdict; });
}

} // namespace

void write_junit(const std::string& path, std::string_view suite,
                 std::span<const CaseResult> results, double seconds) {
    std::string xml = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.6f}\">\n",
        escaped(suite), results.size(), count(results, CaseVerdict::failed),
        count(results, CaseVerdict::refused), seconds);
    for (const CaseResult& result : results)
        xml += element_of(suite, result);
    xml += "</testsuite>\n";
    write_whole(path, std::as_bytes(std::span(xml)), "--junit");
}

} // namespace mesh::host
