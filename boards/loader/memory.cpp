// The functions that a compiler takes for granted, as small as they can be.
#include <cstddef>

extern "C" {

[[gnu::used]] void* memcpy(void* to, const void* from, std::size_t bytes) {
    auto* out = static_cast<char*>(to);
    const auto* in = static_cast<const char*>(from);
    for (; bytes != 0; --bytes)
        *out++ = *in++;
    return to;
}

[[gnu::used]] void* memset(void* to, int byte, std::size_t bytes) {
    auto* out = static_cast<char*>(to);
    for (; bytes != 0; --bytes)
        *out++ = static_cast<char>(byte);
    return to;
}

[[gnu::used]] void* memmove(void* to, const void* from, std::size_t bytes) {
    auto* out = static_cast<char*>(to);
    const auto* in = static_cast<const char*>(from);
    if (out < in)
        return memcpy(to, from, bytes);
    for (; bytes != 0; --bytes)
        out[bytes - 1] = in[bytes - 1];
    return to;
}
}
