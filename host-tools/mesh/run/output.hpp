// The output of a run, as nodes push it in chunks: who may write where, and what has been written.
//
// Bytes that no node has written are zero and take no memory, not even while the output is written
// to a file: some systems give a page to memory that is only read. A write outside a node's share
// is refused.
#pragma once

#include "core/base/types.hpp"
#include "host-tools/mesh/common/files.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mesh::host {

class Output {
public:
    /// The bytes of the output that are a node's own to write.
    struct Share {
        std::size_t begin = 0;
        std::size_t bytes = 0;
    };
    using ShareOf = std::function<Share(NodeId)>;

    Output() = default;
    /// An output of at most `bytes_max` bytes; `kept`: somebody is going to read it. RunError.
    Output(std::size_t bytes_max, bool kept, ShareOf share_of);
    Output(Output&& other) noexcept;
    Output& operator=(Output&& other) noexcept;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output();

    /// From now on the output has at least so many bytes.
    void grow(std::size_t bytes);
    /// Takes a chunk of a node. False if any byte of it is outside the node's share.
    bool put(NodeId from, std::size_t position, std::span<const std::byte> data);

    std::size_t size() const { return size_; }
    std::span<const std::byte> bytes() const { return {area_, size_}; }
    /// The same bytes, for a file: zeros from elsewhere stand for bytes that no node has written.
    /// The spans last as long as the output does.
    ByteSpans spans() const;

private:
    std::byte* area_ = nullptr; // of room_ bytes of address space
    std::size_t room_ = 0;
    std::size_t size_ = 0;
    std::vector<bool> written_; // by blocks of the area: a node has written there
    ShareOf share_of_;
};

} // namespace mesh::host
