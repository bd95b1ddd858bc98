#include "shelves.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace mesh::host {

namespace {
constexpr std::size_t kPartBytes = 4096;
} // namespace

Shelves::Shelves(std::span<std::byte> memory, std::uint32_t nodes)
    : memory_(memory),
      file_(memfd_create("globals", MFD_CLOEXEC)),
      is_filled_(nodes) {
    if (file_.get() < 0 || ftruncate(file_.get(), static_cast<off_t>(memory.size() * nodes)) != 0)
        throw RunError("no file for the globals of all nodes");
    for (std::size_t begin = 0; begin < memory.size(); begin += kPartBytes) {
        const auto part = memory.subspan(begin, kPartBytes);
        if (std::ranges::all_of(part, [](std::byte byte) { return byte == std::byte{}; }))
            continue;
        begins_.push_back(begin);
        parts_.insert(parts_.end(), part.begin(), part.end());
    }
}

void Shelves::show(NodeId node) {
    if (memory_.empty())
        return;
    if (mmap(memory_.data(), memory_.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             file_.get(), static_cast<off_t>(place(node))) == MAP_FAILED)
        throw RunError("no mapping for the globals of a node");
    if (is_filled_[index(node)])
        return;
    is_filled_[index(node)] = true;
    for (std::size_t part = 0; part < begins_.size(); ++part)
        std::copy_n(&parts_[part * kPartBytes], kPartBytes, &memory_[begins_[part]]);
}

void Shelves::reset(NodeId node) {
    if (memory_.empty() || !is_filled_[index(node)])
        return;
    is_filled_[index(node)] = false;
    fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(place(node)), static_cast<off_t>(memory_.size()));
}

} // namespace mesh::host
