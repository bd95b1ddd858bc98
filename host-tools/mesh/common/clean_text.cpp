#include "clean_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace mesh::host {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0; // 0: not UTF-8
};

std::uint32_t byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// The UTF-8 character at the beginning; shortest form only.
Character first_of(std::string_view text) {
    const std::uint32_t lead = byte_at(text, 0);
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes)
        return {};
    std::uint32_t code = lead & (0xFFu >> (bytes + 1));
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte_at(text, at) & 0xC0) != 0x80)
            return {};
        code = (code << 6) | (byte_at(text, at) & 0x3F);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < kLeast[bytes] || code > 0x10FFFF || surrogate ? Character{}
                                                                : Character{code, bytes};
}

/// Controls of the terminal, of lines, and of the direction of writing.
bool is_control(std::uint32_t code) {
    return (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

} // namespace

std::string first_error(std::string_view said) {
    const std::size_t error = std::min(said.find("error: "), said.find("undefined reference"));
    const std::size_t begin = error == said.npos ? 0 : said.rfind('\n', error) + 1;
    const std::string_view line = said.substr(begin, said.find('\n', begin) - begin);
    std::string plain;
    bool coloured = false; // in a sequence of the terminal, which a letter ends
    for (const char character : line) {
        const bool letter = std::isalpha(static_cast<unsigned char>(character)) != 0;
        coloured = coloured || character == '\x1b';
        if (!coloured)
            plain += character;
        coloured = coloured && !letter;
    }
    return cleaned(plain);
}

std::string cleaned(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_of(text);
        const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
        if (character.bytes == 0 || (is_control(character.code) && character.code < 0x80))
            clean += fmt::format("\\x{:02x}", byte_at(text, 0));
        else if (is_control(character.code))
            clean += fmt::format("\\u{{{:x}}}", character.code);
        else
            clean += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return clean;
}

} // namespace mesh::host
