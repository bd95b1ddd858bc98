// The console, to which an app's printf goes (libc/stdio.cpp). Called from the kernel's thread; an
// image that prints nothing needs none of it.
#pragma once

#include <span>

namespace mesh {

/// Takes `text` for the host as this node's console output. Text that does not end in a newline may
/// be kept until more comes, until console_flush(), or until the node tells the host anything else.
/// Defined once per image, above the board.
void console_write(std::span<const char> text);

/// Sends the text that is kept.
void console_flush();

/// True of stdout and stderr. Defined once by each board.
bool is_console(const void* file);

} // namespace mesh
