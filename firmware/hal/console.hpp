// Where an app's printf goes.
#pragma once

#include <span>

namespace mesh {

/// Sends `text` (a line with its newline, or a part of a long one; at most kPayloadBytesMax) to the
/// host as this node's console output. Defined once per image, above the board; called from the
/// kernel's thread. The board's C library calls it; an image that prints nothing needs none.
void console_write(std::span<const char> text);

} // namespace mesh
