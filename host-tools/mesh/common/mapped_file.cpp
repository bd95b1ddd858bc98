#include "mapped_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mesh::host {

MappedFile::MappedFile(int file) {
    struct stat facts = {};
    if (fstat(file, &facts) != 0 || (S_ISREG(facts.st_mode) && facts.st_size == 0))
        return;
    if (!S_ISREG(facts.st_mode)) {
        read_all(file);
        return;
    }
    bytes_ = static_cast<std::size_t>(facts.st_size);
    area_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
}

MappedFile::~MappedFile() {
    if (area_ != MAP_FAILED)
        munmap(area_, bytes_);
}

void MappedFile::read_all(int file) {
    constexpr std::size_t kChunkBytes = 1 << 16;
    for (;;) {
        const std::size_t before = read_.size();
        read_.resize(before + kChunkBytes);
        const ssize_t got = read(file, read_.data() + before, kChunkBytes);
        read_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got == 0 || (got < 0 && errno != EINTR))
            return;
    }
}

} // namespace mesh::host
