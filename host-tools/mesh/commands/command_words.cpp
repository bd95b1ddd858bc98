#include "command_words.hpp"

#include "host-tools/mesh/common/child_process.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace mesh::host {

namespace {

bool is_safe(char character) {
    constexpr std::string_view kSafe = "+,-./0123456789:=@_%";
    return std::isalpha(static_cast<unsigned char>(character)) != 0 ||
           kSafe.find(character) != std::string_view::npos;
}

/// A word as a shell must be given it.
std::string shell_word(std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_safe))
        return std::string(word);
    std::string text = "'";
    for (const char character : word)
        text += character == '\'' ? std::string("'\\''") : std::string(1, character);
    return text + "'";
}

/// The program as it was typed if that was a path, else the path where the shell found it.
std::string program_again(const std::string& word) {
    const std::string found = find_program(word);
    return found.empty() ? word : found;
}

} // namespace

std::string shell_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shell_word(word);
    return line;
}

std::string command_again(int count, const char* const* words) {
    std::string text = shell_word(program_again(words[0]));
    bool seeded = false;
    for (int at = 1; at < count; ++at) {
        const std::string_view word = words[at];
        if (word == "--" && !seeded) { // everything behind belongs to the app
            text += " --seed 1";
            seeded = true;
        }
        seeded = seeded || word.starts_with("--seed");
        text += " " + shell_word(word);
    }
    return seeded ? text : text + " --seed 1";
}

} // namespace mesh::host
