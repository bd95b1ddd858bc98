#include "rank_link.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

/// How long rank 0 waits for a look into a node, which takes two seconds at most there.
constexpr std::chrono::milliseconds kLookTimeout = 5s;

} // namespace

std::uint64_t RankLink::cable_bytes() const {
    std::uint64_t all = 0;
    for (const auto& [rank, bytes] : far_cables_)
        all += bytes;
    return all;
}

void RankLink::order(NodeId node, What what, std::uint8_t detail,
                     std::span<const std::byte> bytes) {
    uplink_->send(part_of(plan_.network, node, uplink_->ranks()), what, node, bytes, detail);
}

void RankLink::report(NodeId node, What what, std::span<const std::byte> bytes,
                      std::uint8_t detail) {
    uplink_->send(0, what, node, bytes, detail);
}

void RankLink::flush(std::uint64_t cable_bytes) {
    if (uplink_ == nullptr)
        return;
    if (serves() && std::exchange(cables_told_, cable_bytes) != cable_bytes)
        report(NodeId{0}, What::cables, wire::bytes_of(cable_bytes));
    uplink_->flush();
}

void RankLink::end() {
    if (uplink_ == nullptr || serves())
        return;
    try {
        for (unsigned rank = 1; rank < uplink_->ranks(); ++rank)
            uplink_->send(rank, What::end);
        uplink_->flush();
    } catch (const RunError& gone) {
        std::ignore = gone; // it has been told
    }
}

void RankLink::hear(const std::function<void(const Message&)>& take) {
    if (uplink_ == nullptr)
        return;
    for (Kept& kept : std::exchange(kept_, {}))
        hear(kept.from, {kept.what, kept.detail, kept.node, kept.bytes}, take);
    unsigned from = 0;
    while (const auto message = uplink_->next(from))
        hear(from, *message, take);
}

void RankLink::hear(unsigned from, const Message& message,
                    const std::function<void(const Message&)>& take) {
    if (message.what == What::failed)
        throw RunError(fmt::format("{}: {}", uplink_->name(from), text_of(message.bytes)));
    if (message.what == What::end)
        over_ = true;
    if (message.what == What::cables && message.bytes.size() == sizeof(std::uint64_t))
        far_cables_[from] = wire::load<std::uint64_t>(message.bytes, 0);
    if (index(message.node) >= node_count(plan_.network))
        throw RunError(
            fmt::format("{} speaks of a node that the mesh does not have", uplink_->name(from)));
    if (serves() || is_far(message.node))
        take(message);
}

Bytes RankLink::look(NodeId node, Look what) {
    const auto detail = static_cast<std::uint8_t>(what);
    const auto until = std::chrono::steady_clock::now() + kLookTimeout;
    try {
        if (!mute_)
            order(node, What::look, detail);
        uplink_->flush();
        while (!mute_) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                until - std::chrono::steady_clock::now());
            const auto told = wait_for(*uplink_, left);
            if (!told)
                break;
            const Message& message = told->message;
            if (message.what == What::seen && message.node == node && message.detail == detail)
                return copy_of(message.bytes);
            kept_.push_back(
                {told->from, message.what, message.detail, message.node, copy_of(message.bytes)});
        }
    } catch (const RunError& gone) {
        std::ignore = gone; // the run, if it goes on, hears it again
    }
    mute_ = true;
    return {};
}

} // namespace mesh::host
