#include "gradescope.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

/// A line of the text that students read, if the grade has something of this name.
std::string line_of(const Json& part, const char* key, std::string_view head) {
    const Json value = part.value(key, Json(nullptr));
    return value.is_null() ? std::string{} : fmt::format("{}{}\n", head, value.get<std::string>());
}

std::string lines_of(const Json& words) {
    std::string text;
    for (const Json& line : words)
        text += line.get<std::string>() + "\n";
    return text;
}

/// Without files and commands of the machine that has graded: no student is there.
Json test_of(const Json& check) {
    const bool good = check.at("reason").is_null();
    return {{"name", check.at("name")},
            {"score", check.at("points")},
            {"max_score", check.at("of")},
            {"status", good ? "passed" : "failed"},
            {"output", line_of(check, "reason", "") + line_of(check, "hint", "hint: ") +
                           line_of(check, "compiler", "")},
            {"visibility", "visible"}};
}

} // namespace

Json gradescope_of(const Json& grade) {
    Json tests = Json::array();
    for (const Json& check : grade.at("checks"))
        tests.push_back(test_of(check));
    return {{"score", grade.at("points")},
            {"execution_time", grade.at("seconds")},
            {"output", line_of(grade, "reason", "") + line_of(grade, "lab", "lab ") +
                           line_of(grade, "variant", "variant ") +
                           lines_of(grade.value("warnings", Json::array()))},
            {"visibility", "visible"},
            {"tests", tests}};
}

} // namespace mesh::host
