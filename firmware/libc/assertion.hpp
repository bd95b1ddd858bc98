// The words of assert() for an assertion that does not hold.
#pragma once

namespace mesh::stdio {

/// "FILE:LINE: FUNCTION: assertion `EXPRESSION' does not hold", on the console; `function` may be
/// nullptr. The caller then stops the node.
void tell_assertion(const char* expression, const char* file, int line, const char* function);

} // namespace mesh::stdio
