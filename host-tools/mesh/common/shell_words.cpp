#include "shell_words.hpp"

#include <algorithm>
#include <cctype>

namespace mesh::host {

namespace {

bool is_safe(char character) {
    constexpr std::string_view kSafe = "+,-./0123456789:=@_%";
    return std::isalpha(static_cast<unsigned char>(character)) != 0 ||
           kSafe.find(character) != std::string_view::npos;
}

} // namespace

std::string shell_word(std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_safe))
        return std::string(word);
    std::string text = "'";
    for (const char character : word)
        text += character == '\'' ? std::string("'\\''") : std::string(1, character);
    return text + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shell_word(word);
    return line;
}

std::vector<std::string> words_of_line(std::string_view line) {
    std::vector<std::string> words;
    bool quoted = false;
    bool begun = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const bool ends = line[at] == ' ' && !quoted;
        if (!ends && !begun)
            words.emplace_back();
        begun = !ends;
        if (line[at] == '\'')
            quoted = !quoted;
        else if (!ends)
            words.back() +=
                line[at] == '\\' && !quoted && at + 1 < line.size() ? line[++at] : line[at];
    }
    return words;
}

} // namespace mesh::host
