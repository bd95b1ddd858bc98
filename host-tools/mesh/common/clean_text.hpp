// Text from nodes and emulators as it may be shown on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace mesh::host {

/// The text with every control character made visible (`\x1b`, `\x0d`, `\u{202e}`), tabs excepted,
/// and every byte that is not UTF-8. What comes out moves no cursor, changes no colour and stays in
/// its line.
std::string cleaned(std::string_view text);

/// Of what a compiler has said, the line with its first error, without colours.
std::string first_error(std::string_view said);

} // namespace mesh::host
