#include "image_load.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host_frame.hpp"

#include <fmt/format.h>

namespace mesh::host {

using wire::LoadTag;

ImageLoad::ImageLoad(const LoadTree& tree, std::span<const std::byte> image,
                     std::uint64_t timeout_us, KeepImage keep)
    : nodes_(tree.nodes),
      bytes_(joined(tree.branches, image)),
      timeout_us_(timeout_us),
      load_{.crc = wire::crc32(bytes_),
            .image_crc = wire::crc32(image),
            .image_bytes = static_cast<std::uint32_t>(image.size()),
            .version = keep.version,
            .older = keep.older,
            .nodes = static_cast<std::uint16_t>(nodes_.size())} {}

void ImageLoad::heard(std::span<const std::byte> frame, std::uint64_t now_us) {
    wire::LinkHeader link;
    if (wire::read_head(frame, frame.size(), link) != wire::Parse::ok ||
        link.kind != wire::Kind::load || link.packet_bytes != sizeof(wire::LoadHeader))
        return;
    const auto header = wire::load<wire::LoadHeader>(frame, wire::kHeadBytes);
    const LoadTag expected = starting_ ? LoadTag::started : LoadTag::have;
    if (header.checksum != wire::load_checksum(header, {}) || header.load != load_ ||
        (header.place >= nodes_.size() && header.place != wire::kNoPlace))
        return;
    answered_ = true;
    if (header.tag == LoadTag::refused) {
        refuser_ = header.place;
        refusal_ = header.position;
    }
    if (header.tag != expected || header.position > bytes_.size())
        return;
    goes_on_ = goes_on_ || header.position != has_;
    if (header.position != has_ || header.place != waits_for_)
        news_at_us_ = now_us;
    has_ = header.position;
    waits_for_ = header.place;
    depth_ = header.depth;
    if (!starting_ && waits_for_ == wire::kNoPlace) {
        starting_ = goes_on_ = true;
        waits_for_ = 0;
    }
}

std::optional<std::vector<std::byte>> ImageLoad::next_frame(std::uint64_t now_us) {
    check_refusal();
    if (!began_us_)
        began_us_ = news_at_us_ = now_us;
    const bool wants = starting_ || has_ < bytes_.size();
    const std::uint32_t again_us = starting_ ? wire::kStartAgainUs : wire::kLoadAgainUs;
    if (!(goes_on_ && wants) && now_us - sent_at_us_ < again_us)
        return std::nullopt;
    check_time(now_us);
    std::span<const std::byte> block;
    if (!starting_)
        block = wire::load_block(bytes_, load_.nodes, has_);
    wire::LoadHeader header{.tag = starting_ ? LoadTag::start : LoadTag::block,
                            .place = 0,
                            .position = has_,
                            .load = load_};
    header.checksum = wire::load_checksum(header, block);
    goes_on_ = false;
    sent_at_us_ = now_us;
    return make_load_frame(joined(wire::bytes_of(header), block));
}

void ImageLoad::check_time(std::uint64_t now_us) const {
    if (now_us - news_at_us_ < timeout_us_)
        return;
    throw RunError(fmt::format("node {}: {}, and nothing new for {:.0f} s",
                               index(nodes_[waits_for_]),
                               starting_ ? "does not start the image" : "has not all of the image",
                               static_cast<double>(timeout_us_) / 1e6));
}

void ImageLoad::check_refusal() const {
    if (refuser_ == wire::kNoPlace)
        return;
    const std::uint32_t node = index(nodes_[refuser_]);
    if (refusal_ <= wire::kLoadVersionMax)
        throw RunError(fmt::format("node {}: keeps version {} already, which is later than {}: "
                                   "--older puts the older one in its place",
                                   node, refusal_, load_.version));
    if (refusal_ == wire::kLoadNoRoom)
        throw RunError(fmt::format("node {}: has no flash, or none for {} bytes: mesh load without "
                                   "--keep brings a program that lasts until a reset",
                                   node, load_.image_bytes));
    throw RunError(fmt::format("node {}: its flash does not keep what is written there", node));
}

ImageLoad::Summary ImageLoad::summary() const {
    const auto blocks_of = [](std::uint32_t bytes) {
        return static_cast<std::uint32_t>((bytes + wire::kLoadBlockBytes - 1) /
                                          wire::kLoadBlockBytes);
    };
    // Each node but the last one on the way waits for the whole tree.
    const std::uint32_t of_tree = blocks_of(load_.nodes);
    const std::uint32_t blocks = of_tree + blocks_of(load_.image_bytes);
    return {load_.image_bytes, blocks, depth_ == 0 ? 0 : blocks + (depth_ - 1) * of_tree,
            static_cast<double>(news_at_us_ - began_us_.value_or(news_at_us_)) / 1e6};
}

} // namespace mesh::host
