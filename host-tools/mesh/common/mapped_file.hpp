// Large files that are read without a copy of them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <span>
#include <vector>

namespace mesh::host {

/// The bytes of an open file, as long as this lives; none if it cannot be read. A pipe is read to
/// its end.
class MappedFile {
public:
    explicit MappedFile(int file);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    std::span<const std::byte> bytes() const {
        return area_ == MAP_FAILED ? std::span<const std::byte>(read_)
                                   : std::span(static_cast<const std::byte*>(area_), bytes_);
    }

private:
    void read_all(int file);

    std::vector<std::byte> read_;
    void* area_ = MAP_FAILED;
    std::size_t bytes_ = 0;
};

} // namespace mesh::host
