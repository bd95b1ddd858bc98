#include "link_words.hpp"

#include "compiler_help.hpp"
#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <regex>

namespace mesh::host {

void explain_link(const std::string& said, const std::string& output, const std::string& place) {
    static const std::regex overflow("region `(\\w+)' overflowed by (\\d+) bytes");
    std::string parts;
    for (std::sregex_iterator at(said.begin(), said.end(), overflow), last; at != last; ++at)
        parts +=
            fmt::format("{}{} by {} bytes", parts.empty() ? "" : ", ",
                        (*at)[1] == "FLASH" ? "its code and constants (FLASH)" : "its data (RAM)",
                        (*at)[2].str());
    if (!parts.empty())
        refuse(Refusal::build, "{}: too big for a node of {}: {}", output, place, parts);
    if (said.find("undefined reference to `app_main(mesh::Kernel&)'") != std::string::npos ||
        said.find("undefined reference to `mesh_cxx_main'") != std::string::npos)
        refuse(Refusal::build,
               "{}: no file has the function `mesh::Process app_main(mesh::Kernel& node)`, or "
               "main()",
               output);
    static const std::regex missing("undefined reference to `(\\w+)'");
    std::smatch name;
    if (std::regex_search(said, name, missing))
        if (const auto words = words_of_missing(name[1].str()); !words.empty())
            refuse(Refusal::build, "{}: nothing defines {}: {}", output, name[1].str(), words);
}

} // namespace mesh::host
