// survivors: the nodes sum squares; those that are left when others die end with the right sum.
//   mesh run --engine sim --dim 3 --app survivors --faults kill:3@40,kill:6@200
// After each part of the sum the group agrees on whether all have it, and on who is left. If not,
// those that are left begin that part anew, and share the numbers of the dead among themselves.
#include "meshputer.hpp"

namespace {
constexpr mesh::Tag kSums = 1, kAgreements = 2;
constexpr std::uint32_t kParts = 12, kNumbers = 240; // in each part
constexpr std::uint32_t kNodesMax = 64;

/// The squares of this member's numbers of a part.
std::uint64_t squares(const mesh::Group& group, std::uint32_t part) {
    std::uint64_t sum = 0;
    for (std::uint32_t at = group.rank(); at < kNumbers; at += group.size()) {
        const std::uint64_t number = part * kNumbers + at;
        sum += number * number;
    }
    return sum;
}
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    std::array<mesh::NodeId, kNodesMax> room{}, next{};
    auto left = mesh::members_if(node, room, [](std::uint32_t) { return true; });
    if (left.size() < node.nodes())
        co_return mesh::Status::bad_argument;
    std::uint64_t total = 0;
    for (std::uint32_t part = 0; part < kParts;) {
        const mesh::Group group{node, left, kSums};
        std::uint64_t sum = squares(group, part);
        const mesh::Status summed = co_await mesh::group_allreduce(node, group, sum);
        const mesh::Agreed agreed = co_await mesh::agree(
            node, mesh::Group{node, left, kAgreements}, summed == mesh::Status::ok ? 1u : 0u, next);
        if (agreed.status != mesh::Status::ok)
            co_return agreed.status;
        if (agreed.left.size() < left.size() && node.id() == agreed.left.front())
            mesh::print("{} of {} are left in part {}\n", agreed.left.size(), left.size(), part);
        std::swap(room, next);
        left = std::span<const mesh::NodeId>{room}.first(agreed.left.size());
        if (agreed.flags == 0)
            continue;
        total += sum;
        ++part;
    }
    constexpr std::uint64_t kLast = std::uint64_t{kParts} * kNumbers - 1;
    constexpr std::uint64_t kRight = kLast * (kLast + 1) * (2 * kLast + 1) / 6;
    if (node.id() == left.front())
        mesh::print("the sum is {}\n", total);
    co_return total == kRight ? mesh::Status::ok : mesh::Status::failed;
}
