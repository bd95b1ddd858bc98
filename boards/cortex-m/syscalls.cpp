// The system calls that newlib still needs: there are no files, and printf is not newlib's
// (firmware/libc).
//
// Some of its functions, as rand() and strtok(), keep their state in a block that they allocate
// once. That block comes from a small memory of its own; all other requests for memory get none.
// Nothing of this is linked unless something asks for it.
#include "boards/cortex-m/semihosting.hpp"
#include "hal/console.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

struct _reent;

bool mesh::is_console(const void* file) { return file == stdout || file == stderr; }

namespace {
constexpr std::size_t kLibraryBytes = 256;

alignas(8) [[gnu::section(".noinit")]] std::array<std::byte, kLibraryBytes> library_memory;
constinit std::size_t library_bytes_used = 0;

int refuse(int error) {
    errno = error;
    return -1;
}
} // namespace

extern "C" {

void* _malloc_r(_reent*, std::size_t bytes) {
    const std::size_t rounded = (bytes + 7) / 8 * 8;
    if (rounded < bytes || rounded > library_memory.size() - library_bytes_used) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const block = library_memory.data() + library_bytes_used;
    library_bytes_used += rounded;
    return block;
}

void _free_r(_reent*, void*) {}

void* _sbrk(std::ptrdiff_t) {
    errno = ENOMEM;
    return reinterpret_cast<void*>(-1);
}

int _write(int, const char*, int) { return refuse(EBADF); }

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
