// perror() and strerror(): the same words for an error on every engine. The numbers of errors, and
// the words of the C libraries, are not.
#include "hal/console.hpp"

#include <array>
#include <cerrno>
#include <string_view>

namespace {

struct Words {
    int number;
    const char* text;
};

/// Those that C and POSIX give a program without files, users and networks.
constexpr std::array kErrors{
    Words{0, "Success"},
    Words{EPERM, "Operation not permitted"},
    Words{ENOENT, "No such file or directory"},
    Words{EINTR, "Interrupted system call"},
    Words{EIO, "Input/output error"},
    Words{E2BIG, "Argument list too long"},
    Words{EBADF, "Bad file descriptor"},
    Words{EAGAIN, "Resource temporarily unavailable"},
    Words{ENOMEM, "Cannot allocate memory"},
    Words{EACCES, "Permission denied"},
    Words{EFAULT, "Bad address"},
    Words{EBUSY, "Device or resource busy"},
    Words{EEXIST, "File exists"},
    Words{ENODEV, "No such device"},
    Words{EINVAL, "Invalid argument"},
    Words{ENOSPC, "No space left on device"},
    Words{EROFS, "Read-only file system"},
    Words{EPIPE, "Broken pipe"},
    Words{EDOM, "Numerical argument out of domain"},
    Words{ERANGE, "Numerical result out of range"},
    Words{EDEADLK, "Resource deadlock avoided"},
    Words{ENOSYS, "Function not implemented"},
    Words{EMSGSIZE, "Message too long"},
    Words{ETIMEDOUT, "Connection timed out"},
    Words{EOVERFLOW, "Value too large for defined data type"},
    Words{EILSEQ, "Invalid or incomplete multibyte or wide character"},
};

const char* words_of(int number) {
    for (const Words& known : kErrors)
        if (known.number == number)
            return known.text;
    return "Unknown error";
}

} // namespace

extern "C" {

/// The caller must not write to it.
char* strerror(int number) { return const_cast<char*>(words_of(number)); }

void perror(const char* text) {
    const char* const error = words_of(errno);
    for (const std::string_view part : {std::string_view(text != nullptr ? text : ""),
                                        std::string_view(text != nullptr && *text != 0 ? ": " : ""),
                                        std::string_view(error), std::string_view("\n")})
        mesh::console_write(part);
}
}
