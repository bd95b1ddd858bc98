// printf and its kin by their C names, in place of the C library's: no FILE, no heap, no buffer.
// Text goes to the node's console, in the order in which it was printed, by stdout and stderr
// alike.
//
// On the host these names are the host tool's own; there the objects of apps and of this file are
// given others (Makefile).
#include "hal/console.hpp"
#include "libc/format.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using mesh::stdio::Sink;

constexpr int kEndOfFile = -1;

const Sink kConsole{[](void*, std::span<const char> text) { mesh::console_write(text); }, nullptr};

/// Room for text, of which the rest is lost.
struct Room {
    char* next;
    std::size_t left;
};

void take_into_room(void* context, std::span<const char> text) {
    auto& room = *static_cast<Room*>(context);
    const std::size_t taken = std::min(room.left, text.size());
    room.next = std::copy_n(text.data(), taken, room.next);
    room.left -= taken;
}

int write(const void* file, std::string_view text) {
    if (!mesh::is_console(file))
        return kEndOfFile;
    mesh::console_write(text);
    return static_cast<int>(text.size());
}

int put(char character) {
    mesh::console_write({&character, 1});
    return static_cast<unsigned char>(character);
}

} // namespace

// FILE* is void* here, since <cstdio> would bring the C library's own of these as inline functions.
extern "C" {

int vprintf(const char* text, std::va_list values) {
    return mesh::stdio::format(kConsole, text, values);
}

int printf(const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = mesh::stdio::format(kConsole, text, values);
    va_end(values);
    return count;
}

int vfprintf(void* file, const char* text, std::va_list values) {
    return mesh::is_console(file) ? mesh::stdio::format(kConsole, text, values) : kEndOfFile;
}

int fprintf(void* file, const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = vfprintf(file, text, values);
    va_end(values);
    return count;
}

int vsnprintf(char* into, std::size_t bytes, const char* text, std::va_list values) {
    Room room{into, bytes == 0 ? 0 : bytes - 1};
    const int count = mesh::stdio::format({take_into_room, &room}, text, values);
    if (bytes != 0)
        *room.next = '\0';
    return count;
}

int snprintf(char* into, std::size_t bytes, const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = vsnprintf(into, bytes, text, values);
    va_end(values);
    return count;
}

int vsprintf(char* into, const char* text, std::va_list values) {
    return vsnprintf(into, static_cast<std::size_t>(PTRDIFF_MAX), text, values);
}

int sprintf(char* into, const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = vsprintf(into, text, values);
    va_end(values);
    return count;
}

int puts(const char* text) {
    mesh::console_write(std::string_view{text});
    return put('\n');
}

int fputs(const char* text, void* file) { return write(file, text); }

int putchar(int character) { return put(static_cast<char>(character)); }

int fputc(int character, void* file) {
    return mesh::is_console(file) ? put(static_cast<char>(character)) : kEndOfFile;
}

int putc(int character, void* file) { return fputc(character, file); }

std::size_t fwrite(const void* data, std::size_t bytes, std::size_t count, void* file) {
    const int written = write(file, {static_cast<const char*>(data), bytes * count});
    return written < 0 ? 0 : count;
}

int fflush(void*) {
    mesh::console_flush();
    return 0;
}

// The console has no buffer of the program's.
int setvbuf(void*, char*, int, std::size_t) { return 0; }
void setbuf(void*, char*) {}
}
