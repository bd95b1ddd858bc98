#include "loader.hpp"

#include <algorithm>
#include <utility>

namespace mesh::board {

using wire::LoadTag;

namespace {

/// The wait after a parent's last message, which the parent repeats if the answer was lost.
constexpr std::uint32_t kLingerUs = 10 * wire::kStartAgainUs;

} // namespace

void Loader::run() {
    for (unsigned port = 0; port < kPorts; ++port)
        (void)send(port_at(port), {});
    while (!starting_ || waits_for_ != kNoNode || ports_.now_us() - told_at_us_ < kLingerUs) {
        if (boots())
            return;
        Port port = kNoPort;
        for (std::span<const std::byte> message; ports_.receive(port, message);)
            on_message(port, message);
        if (parent_ != kNoPort)
            send_all();
        ports_.wait();
    }
}

// --- flash ---

/// No parent has said a word for too long, and the image of the flash is in its place.
bool Loader::boots() {
    if constexpr (kHasFlash) {
        const std::uint32_t silent_us =
            parent_ == kNoPort ? wire::kLoadBootUs : wire::kLoadGivesUpUs;
        return ports_.now_us() - heard_at_us_ >= silent_us && store_.load(room_);
    }
    return false;
}

/// Judges an image that is to be kept, and makes room for it.
void Loader::begin_to_keep() {
    keeps_ = false;
    refuser_ = kNoNode;
    if (version_ == 0)
        return;
    if constexpr (kHasFlash) {
        if (store_.keeps(image()))
            return;
        if (const auto newest = store_.newest(); newest && newest->version > version_ && !older_)
            return refuse(newest->version);
        keeps_ = store_.begin(bytes_);
    }
    if (!keeps_)
        refuse(wire::kLoadNoRoom);
}

void Loader::refuse(std::uint32_t why) {
    keeps_ = false;
    refuser_ = node_;
    refusal_ = why;
}

// --- receiving ---

void Loader::on_message(Port port, std::span<const std::byte> message) {
    if (message.size() < sizeof(wire::LoadHeader))
        return;
    const auto header = wire::load<wire::LoadHeader>(message, 0);
    const auto block = message.subspan(sizeof header);
    if (header.checksum != wire::load_checksum(header, block))
        return;
    if (header.tag == LoadTag::block)
        on_block(port, header, block);
    else if (header.tag == LoadTag::start && port == parent_ && header.image_crc == crc_)
        begin_start();
    else if (header.tag >= LoadTag::have && parent_ != kNoPort && index(port) >= first_child() &&
             index(port) < dim_)
        on_answer(port, header);
    look_at_children();
}

void Loader::on_block(Port port, const wire::LoadHeader& header, std::span<const std::byte> block) {
    if ((parent_ != kNoPort && parent_ != port) || starting_ || header.dim > kPorts ||
        header.image_bytes > room_.size() || header.position > header.image_bytes ||
        block.size() > header.image_bytes - header.position)
        return;
    if (header.image_crc != crc_ || header.image_bytes != bytes_ || header.version != version_ ||
        (header.older != 0) != older_)
        adopt(port, header);
    answers_ = true;
    heard_at_us_ = ports_.now_us();
    if (refuses() || header.position != have_ || block.empty())
        return;
    std::copy(block.begin(), block.end(), &room_[have_]);
    have_ += block.size();
    if (whole() && wire::crc32(room_.first(bytes_)) != crc_) {
        have_ = 0;
        begin_to_keep();
    } else if (kHasFlash && keeps_ &&
               (!store_.append(block) || (whole() && !store_.has_come(image())))) {
        refuse(wire::kLoadFailed);
    }
}

/// Takes over an image that a header announces: the first one, or another one.
void Loader::adopt(Port port, const wire::LoadHeader& header) {
    parent_ = port;
    dim_ = header.dim;
    node_ = port == kHostPort ? NodeId{0} : node_at(index(header.node) ^ (1u << index(port)));
    crc_ = header.image_crc;
    bytes_ = header.image_bytes;
    version_ = header.version;
    older_ = header.older != 0;
    have_ = 0;
    begin_to_keep();
    for (unsigned child = 0; child < dim_; ++child)
        forget(child);
}

/// Forgets the messages of a child from before its reset, or about another image or earlier work.
void Loader::forget(unsigned child) {
    children_[child] = {.has = 0,
                        .waits_for = node_at(index(node_) ^ (1u << child)),
                        .depth = 0,
                        .goes_on = true,
                        .sent_at_us = 0};
}

void Loader::on_answer(Port port, const wire::LoadHeader& header) {
    Child& child = children_[index(port)];
    if (header.image_crc != crc_) {
        forget(index(port));
    } else if (header.tag == LoadTag::refused) {
        if (header.version != version_ || (header.older != 0) != older_)
            return; // of an earlier load
        refuser_ = header.node;
        refusal_ = header.position;
        answers_ = true;
    } else if ((header.tag == LoadTag::started) == starting_) {
        child.goes_on = child.goes_on || child.has != header.position;
        child.has = header.position;
        child.waits_for = header.node;
        child.depth = header.dim;
    }
}

void Loader::begin_start() {
    heard_at_us_ = ports_.now_us();
    if (!whole() || refuses())
        return;
    if (kHasFlash && std::exchange(keeps_, false) && !store_.finish(image()))
        return refuse(wire::kLoadFailed);
    if (!starting_)
        for (unsigned child = 0; child < dim_; ++child)
            forget(child);
    starting_ = true;
    answers_ = true;
    told_at_us_ = ports_.now_us();
}

/// Finds the node of this part of the tree that is waited for; tells the parent if it is another
/// one.
void Loader::look_at_children() {
    NodeId waits_for = whole() ? kNoNode : node_;
    depth_ = 0;
    for (unsigned child = dim_; child-- > first_child();) {
        depth_ = std::max(depth_, children_[child].depth + 1u);
        if (whole() && children_[child].waits_for != kNoNode)
            waits_for = children_[child].waits_for;
    }
    answers_ = answers_ || waits_for != waits_for_;
    waits_for_ = waits_for;
}

// --- sending ---

void Loader::send_all() {
    if (answers_ && refuses())
        answers_ = !send(parent_, {.tag = LoadTag::refused,
                                   .older = older_,
                                   .node = refuser_,
                                   .position = refusal_,
                                   .version = version_});
    if (answers_)
        answers_ = !send(parent_, {.tag = starting_ ? LoadTag::started : LoadTag::have,
                                   .dim = static_cast<std::uint8_t>(depth_),
                                   .node = waits_for_,
                                   .position = have_});
    for (unsigned child = first_child(); child < dim_; ++child)
        if (due(children_[child]))
            send_to(child);
}

/// True if there is something new for the child, or it was sent nothing for some time.
bool Loader::due(const Child& child) const {
    const bool wants = starting_ ? child.waits_for != kNoNode : child.has < have_;
    const std::uint32_t again_us = starting_ ? wire::kStartAgainUs : wire::kLoadAgainUs;
    return (wants && child.goes_on) ||
           ((wants || !starting_) && ports_.now_us() - child.sent_at_us >= again_us);
}

void Loader::send_to(unsigned child) {
    Child& to = children_[child];
    std::span<const std::byte> block;
    const std::uint32_t position = std::min(to.has, have_);
    if (!starting_)
        block =
            room_.subspan(position, std::min<std::size_t>(have_ - position, wire::kLoadBlockBytes));
    if (!send(port_at(child),
              {.tag = starting_ ? LoadTag::start : LoadTag::block,
               .dim = static_cast<std::uint8_t>(dim_),
               .older = older_,
               .node = node_,
               .position = position,
               .version = version_},
              block))
        return;
    to.goes_on = false;
    to.sent_at_us = ports_.now_us();
}

/// False: the port is not ready.
bool Loader::send(Port port, wire::LoadHeader header, std::span<const std::byte> block) {
    if (!ports_.ready(port))
        return false;
    header.image_crc = crc_;
    header.image_bytes = bytes_;
    header.checksum = wire::load_checksum(header, block);
    ports_.send(port, header, block);
    return true;
}

} // namespace mesh::board
