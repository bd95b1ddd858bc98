#include "output.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <algorithm>
#include <array>
#include <sys/mman.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::array<std::byte, kBlockBytes> kZeros{};

} // namespace

Output::Output(std::size_t bytes_max, bool kept, ShareOf share_of)
    : share_of_(std::move(share_of)) {
    if (!kept || bytes_max == 0)
        return;
    void* const area = mmap(nullptr, bytes_max, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        throw RunError(fmt::format("no room for {} bytes of output", bytes_max));
    area_ = static_cast<std::byte*>(area);
    room_ = bytes_max;
    written_.resize((bytes_max + kBlockBytes - 1) / kBlockBytes);
}

Output::Output(Output&& other) noexcept { *this = std::move(other); }

Output& Output::operator=(Output&& other) noexcept {
    std::swap(area_, other.area_);
    std::swap(room_, other.room_);
    std::swap(size_, other.size_);
    std::swap(written_, other.written_);
    std::swap(share_of_, other.share_of_);
    return *this;
}

Output::~Output() {
    if (area_ != nullptr)
        munmap(area_, room_);
}

void Output::grow(std::size_t bytes) { size_ = std::max(size_, std::min(bytes, room_)); }

bool Output::put(NodeId from, std::size_t position, std::span<const std::byte> data) {
    const Share share = share_of_(from);
    if (position < share.begin || position - share.begin > share.bytes ||
        data.size() > share.bytes - (position - share.begin))
        return false;
    if (area_ == nullptr)
        return true;
    const std::size_t end = position + data.size();
    for (std::size_t block = position / kBlockBytes; block * kBlockBytes < end; ++block)
        written_[block] = true;
    std::copy(data.begin(), data.end(), area_ + position);
    grow(end);
    return true;
}

ByteSpans Output::spans() const {
    ByteSpans spans;
    for (std::size_t at = 0; at < size_; at += kBlockBytes) {
        const std::size_t bytes = std::min(kBlockBytes, size_ - at);
        const std::byte* const from = written_[at / kBlockBytes] ? area_ + at : kZeros.data();
        spans.emplace_back(from, bytes);
    }
    return spans;
}

} // namespace mesh::host
