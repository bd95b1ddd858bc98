#include "command_words.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/shell_words.hpp"

#include <string_view>

namespace mesh::host {

std::string program_again(const std::string& word) {
    const std::string found = find_program(word);
    return found.empty() ? word : found;
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
