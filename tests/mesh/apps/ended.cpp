// The program of node 1 ends while others deal with it: each prints the status that it gets. Words:
// WHAT END BEGIN. Node 1's program ends after END units of model time, node 0 begins after BEGIN.
//
// send, long, receive, any, look, barrier: what node 0 does: it sends node 1 a byte, or three
// packets, receives from it with a tag, or with any, looks for it, meets it. offers: all others
// send it two messages at a time, which it never takes. begun: it takes the first packet of three
// and ends. pair: it takes one of the two messages of node 0. lives: its program ends, but a
// process that it has spawned takes the message.
#include "meshputer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace {

constexpr mesh::NodeId kEnded{1};
constexpr mesh::Tag kTag = 3;
constexpr std::uint32_t kLong = 3000; // three packets

mesh::wire::ModelTime units(unsigned count) { return count * mesh::wire::kTicksPerUnit; }

mesh::Status told(std::string_view what, mesh::Status status, mesh::Status expected) {
    mesh::print("{}: {}\n", what, status);
    return status == expected ? mesh::Status::ok : mesh::Status::failed;
}

void zeros(const void*, std::uint32_t, std::span<std::byte> out) {
    std::ranges::fill(out, std::byte{0});
}

mesh::Process sends(mesh::Kernel& node, std::uint32_t bytes, mesh::Status expected) {
    const mesh::Status status =
        co_await mesh::send(node, kEnded, {.tag = kTag}, bytes, {zeros, nullptr});
    co_return told("send", status, expected);
}

mesh::Process takes(mesh::Kernel& node) {
    co_await node.sleep(units(20));
    std::byte byte{};
    co_return (co_await mesh::receive(node, std::span{&byte, 1}, mesh::kAnySource, kTag)).status;
}

mesh::Process ends(mesh::Kernel& node, std::string_view what) {
    if (what == "lives" && !node.spawn(takes(node)))
        co_return mesh::Status::no_memory;
    if (what == "begun") {
        mesh::Message message = co_await mesh::receive_message(node, mesh::kAnySource, kTag);
        const mesh::Packet first = co_await mesh::next(node, message);
        co_return first && !message.finished() ? mesh::Status::ok : mesh::Status::failed;
    }
    if (what == "pair") {
        std::byte byte{};
        co_return (co_await mesh::receive(node, std::span{&byte, 1}, mesh::kAnySource, kTag))
            .status;
    }
    co_await node.sleep(units(mesh::word<unsigned>(node, 1, 0)));
    co_return mesh::Status::ok;
}

mesh::Process receives(mesh::Kernel& node, mesh::Tag tag) {
    std::byte byte{};
    const mesh::Received got = co_await mesh::receive(node, std::span{&byte, 1}, kEnded, tag);
    co_return told("receive", got.status, mesh::Status::unreachable);
}

/// Two at a time.
mesh::Process offers(mesh::Kernel& node) {
    co_return co_await mesh::par(node, sends(node, 1, mesh::Status::unreachable),
                                 sends(node, kLong, mesh::Status::unreachable));
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const std::string_view what = node.arguments()[0];
    if (node.id() == kEnded)
        co_return co_await ends(node, what);
    if (what == "offers")
        co_return co_await offers(node);
    if (node.id() != mesh::NodeId{0})
        co_return mesh::Status::ok;
    if (what != "begun" && what != "pair" && what != "lives")
        co_await node.sleep(units(mesh::word<unsigned>(node, 2, 0)));
    if (what == "send")
        co_return co_await sends(node, 1, mesh::Status::unreachable);
    if (what == "long" || what == "begun")
        co_return co_await sends(node, kLong, mesh::Status::unreachable);
    if (what == "receive")
        co_return co_await receives(node, kTag);
    if (what == "any")
        co_return co_await receives(node, mesh::kAnyTag);
    if (what == "look")
        co_return told("look",
                       co_await mesh::look_for(node, kEnded, {}, {.tag = kTag, .source = kEnded}),
                       mesh::Status::unreachable);
    if (what == "barrier")
        co_return told("barrier", co_await mesh::barrier(node), mesh::Status::unreachable);
    if (what == "pair") {
        const mesh::Status first = co_await sends(node, 1, mesh::Status::ok);
        const mesh::Status second = co_await sends(node, 1, mesh::Status::unreachable);
        co_return first == mesh::Status::ok ? second : first;
    }
    if (what == "lives")
        co_return co_await sends(node, 1, mesh::Status::ok);
    co_return mesh::Status::bad_argument;
}
