// An input as a file, for parsers that are given a path: in memory, the same one again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace mesh::fuzz {

class InputFile {
public:
    InputFile() : file_(memfd_create("input", MFD_CLOEXEC)) {
        if (file_ < 0)
            std::abort();
    }
    /// From now on it has these bytes.
    void fill(const std::uint8_t* data, std::size_t size) const {
        if (ftruncate(file_, 0) != 0 || pwrite(file_, data, size, 0) != static_cast<ssize_t>(size))
            std::abort();
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

} // namespace mesh::fuzz
