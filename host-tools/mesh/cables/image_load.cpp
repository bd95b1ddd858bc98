#include "image_load.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mesh::host {

using wire::LoadTag;

ImageLoad::ImageLoad(unsigned dim, std::vector<std::byte> image, std::uint64_t timeout_us,
                     KeepImage keep)
    : dim_(dim),
      image_(std::move(image)),
      timeout_us_(timeout_us),
      keep_(keep),
      crc_(wire::crc32(image_)) {}

void ImageLoad::heard(std::span<const std::byte> frame, std::uint64_t now_us) {
    wire::LinkHeader link;
    if (wire::read_head(frame, frame.size(), link) != wire::Parse::ok ||
        link.kind != wire::Kind::load || link.packet_bytes != sizeof(wire::LoadHeader))
        return;
    const auto header = wire::load<wire::LoadHeader>(frame, wire::kHeadBytes);
    const LoadTag expected = starting_ ? LoadTag::started : LoadTag::have;
    if (header.checksum != wire::load_checksum(header, {}) || header.image_crc != crc_)
        return;
    answered_ = true;
    // Of an earlier load one may still be on the line.
    if (header.tag == LoadTag::refused && header.version == keep_.version &&
        (header.older != 0) == keep_.older) {
        refuser_ = header.node;
        refusal_ = header.position;
    }
    if (header.tag != expected || header.position > image_.size())
        return;
    goes_on_ = goes_on_ || header.position != has_;
    if (header.position != has_ || header.node != waits_for_)
        news_at_us_ = now_us;
    has_ = header.position;
    waits_for_ = header.node;
    depth_ = header.dim;
    if (!starting_ && waits_for_ == kNoNode) {
        starting_ = goes_on_ = true;
        waits_for_ = NodeId{0};
    }
}

std::optional<std::vector<std::byte>> ImageLoad::next_frame(std::uint64_t now_us) {
    check_refusal();
    if (!began_us_)
        began_us_ = news_at_us_ = now_us;
    const bool wants = starting_ || has_ < image_.size();
    const std::uint32_t again_us = starting_ ? wire::kStartAgainUs : wire::kLoadAgainUs;
    if (!(goes_on_ && wants) && now_us - sent_at_us_ < again_us)
        return std::nullopt;
    check_time(now_us);
    std::span<const std::byte> block;
    if (!starting_)
        block =
            std::span(image_).subspan(has_, std::min(image_.size() - has_, wire::kLoadBlockBytes));
    wire::LoadHeader header{.tag = starting_ ? LoadTag::start : LoadTag::block,
                            .dim = static_cast<std::uint8_t>(dim_),
                            .older = keep_.older,
                            .image_crc = crc_,
                            .image_bytes = static_cast<std::uint32_t>(image_.size()),
                            .position = has_,
                            .version = keep_.version};
    header.checksum = wire::load_checksum(header, block);
    goes_on_ = false;
    sent_at_us_ = now_us;
    return make_load_frame(joined(wire::bytes_of(header), block));
}

void ImageLoad::check_time(std::uint64_t now_us) const {
    if (now_us - news_at_us_ < timeout_us_)
        return;
    throw RunError(fmt::format("node {}: {}, and nothing new for {:.0f} s", index(waits_for_),
                               starting_ ? "does not start the image" : "has not all of the image",
                               static_cast<double>(timeout_us_) / 1e6));
}

void ImageLoad::check_refusal() const {
    if (refuser_ == kNoNode)
        return;
    const std::uint32_t node = index(refuser_);
    if (refusal_ <= wire::kLoadVersionMax)
        throw RunError(fmt::format("node {}: keeps version {} already, which is later than {}: "
                                   "--older puts the older one in its place",
                                   node, refusal_, keep_.version));
    if (refusal_ == wire::kLoadNoRoom)
        throw RunError(fmt::format("node {}: has no flash, or none for {} bytes: mesh load without "
                                   "--keep brings a program that lasts until a reset",
                                   node, image_.size()));
    throw RunError(fmt::format("node {}: its flash does not keep what is written there", node));
}

ImageLoad::Summary ImageLoad::summary() const {
    const auto bytes = static_cast<std::uint32_t>(image_.size());
    const auto blocks =
        static_cast<std::uint32_t>((bytes + wire::kLoadBlockBytes - 1) / wire::kLoadBlockBytes);
    return {bytes, blocks, depth_ == 0 ? 0 : blocks + depth_ - 1,
            static_cast<double>(news_at_us_ - began_us_.value_or(news_at_us_)) / 1e6};
}

} // namespace mesh::host
