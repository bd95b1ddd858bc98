// Writes at once: files of a page are memory.
#include "host-tools/mesh/capture/file_writer.hpp"

#include "host-tools/mesh/common/files.hpp"

#include <utility>

namespace mesh::host {

FileWriter::FileWriter(int file, Making making, Clock::time_point until)
    : file_(file),
      making_(std::move(making)),
      until_(until) {}

FileWriter::~FileWriter() = default;

void FileWriter::hand_over(std::vector<std::byte>& buffer, std::size_t used) {
    const std::span<const std::byte> made = making_(std::span(buffer).first(used));
    if (error_ == 0)
        error_ = write_all(file_, made);
}

void FileWriter::wait() {}

} // namespace mesh::host
