// Where an app's printf goes.
#pragma once

#include <span>

namespace mesh {

/// Sends `text` (at most one line, its newline included; longer text comes in several calls) to the
/// host as this node's console output. Defined once per image, above the board; called from the
/// kernel's thread. The board's C library calls it; an image that prints nothing needs none.
void console_write(std::span<const char> text);

} // namespace mesh
