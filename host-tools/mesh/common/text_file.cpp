#include "text_file.hpp"

#include "errors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace mesh::host {

std::string plain_text(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] != '\r' || (at + 1 < text.size() && text[at + 1] != '\n'))
            plain += text[at];
    return plain;
}

std::string read_text(const std::string& path, std::string_view option, std::string_view hint) {
    std::error_code error;
    std::ifstream file;
    if (std::filesystem::is_directory(path, error))
        errno = EISDIR;
    else
        file.open(path, std::ios::binary);
    if (!file.is_open())
        refuse(Refusal::file, "{} '{}': cannot be read: {}{}{}", option, path, std::strerror(errno),
               hint.empty() ? "" : "; ", hint);
    return plain_text(std::string{std::istreambuf_iterator<char>(file), {}});
}

std::vector<std::string_view> lines_in(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
    }
    return lines;
}

} // namespace mesh::host
