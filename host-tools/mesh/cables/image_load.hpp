// The host tool's end of a load: gives an image to the loader of node 0, which passes it on to the
// others (wire/load.hpp), and has it started when all have it.
#pragma once

#include "load_tree.hpp"
#include "wire/load.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mesh::host {

/// The order to keep an image in flash, and to boot it from then on without a host.
struct KeepImage {
    std::uint32_t version = 0; // 0: not to be kept
    bool older = false;        // also in place of a later one
};

class ImageLoad {
public:
    /// The outcome of a load.
    struct Summary {
        std::uint32_t bytes = 0;  // of the image
        std::uint32_t blocks = 0; // of tree and image
        std::uint32_t steps = 0;  // of the last block on its way to the last node, from node 0 on
        double seconds = 0;
    };

    /// Loads all nodes of the tree. `timeout_us`: how long nothing new may be heard of nodes.
    ImageLoad(const LoadTree& tree, std::span<const std::byte> image, std::uint64_t timeout_us,
              KeepImage keep = {});

    /// A whole frame has come from node 0's host port; any bytes.
    void heard(std::span<const std::byte> frame, std::uint64_t now_us);
    /// The next frame for node 0's host port, if it is time for one. To be called often. RunError:
    /// nothing new for too long, or a node does not keep the image.
    std::optional<std::vector<std::byte>> next_frame(std::uint64_t now_us);
    /// All nodes have the image, and know that they are to start it.
    bool done() const { return starting_ && waits_for_ == wire::kNoPlace; }
    /// The loader of node 0 has said a word about this image.
    bool answered() const { return answered_; }
    Summary summary() const;

private:
    void check_time(std::uint64_t now_us) const;
    void check_refusal() const;

    std::vector<NodeId> nodes_;    // by place
    std::vector<std::byte> bytes_; // of tree and image
    std::uint64_t timeout_us_;
    wire::Load load_;
    std::uint32_t has_ = 0; // bytes that node 0 has
    std::uint16_t waits_for_ = 0;
    unsigned depth_ = 0;  // of the tree, as the nodes found it
    bool goes_on_ = true; // something new was heard since the last frame
    bool starting_ = false;
    bool answered_ = false;
    std::uint16_t refuser_ = wire::kNoPlace; // it does not keep the image
    std::uint32_t refusal_ = 0;
    std::optional<std::uint64_t> began_us_;
    std::uint64_t sent_at_us_ = 0;
    std::uint64_t news_at_us_ = 0;
};

} // namespace mesh::host
