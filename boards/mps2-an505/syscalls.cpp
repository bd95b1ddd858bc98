// What newlib (nano) asks of a system, so that printf reaches the node's console without a heap.
//
// Standard output is line buffered. newlib takes its FILE objects and that buffer from _malloc_r;
// here they come from a block that is just large enough for them, once; whatever else asks for
// memory gets none. Nothing of this is linked unless something prints.
#include "boards/mps2-an505/semihosting.hpp"
#include "hal/console.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

struct _reent;

namespace {
/// newlib's chain of FILE objects (four of them with its links), then the line buffer, whose size
/// newlib fixes. tests/target/board_probe shows that it is enough: an unbuffered stdout would send
/// a frame per character.
constexpr std::size_t kFilesBytes = 448;
constexpr std::size_t kStdioBytes = kFilesBytes + BUFSIZ;

alignas(8) [[gnu::section(".noinit")]] std::array<std::byte, kStdioBytes> stdio_memory;
constinit std::size_t stdio_bytes_used = 0;

int refuse(int error) {
    errno = error;
    return -1;
}
} // namespace

extern "C" {

void* _malloc_r(_reent*, std::size_t bytes) {
    const std::size_t rounded = (bytes + 7) / 8 * 8;
    if (rounded > stdio_memory.size() - stdio_bytes_used) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const block = stdio_memory.data() + stdio_bytes_used;
    stdio_bytes_used += rounded;
    return block;
}

void _free_r(_reent*, void*) {}

void* _sbrk(std::ptrdiff_t) {
    errno = ENOMEM;
    return reinterpret_cast<void*>(-1);
}

int _write(int file, const char* text, int bytes) {
    if (file != 1 && file != 2)
        return refuse(EBADF);
    mesh::console_write(std::span{text, static_cast<std::size_t>(bytes)});
    return bytes;
}

int _fstat(int, struct stat* status) {
    *status = {};
    status->st_mode = S_IFCHR;
    return 0;
}

int _isatty(int) { return 1; }
int _read(int, char*, int) { return 0; } // end of file
int _open(const char*, int, int) { return refuse(ENOENT); }
int _close(int) { return refuse(EBADF); }
int _lseek(int, int, int) { return refuse(ESPIPE); }
int _getpid() { return 1; }
int _kill(int, int) { return refuse(EINVAL); }

[[noreturn]] void _exit(int status) {
    mesh::board::leave_emulator(static_cast<std::uint32_t>(status));
}
}
