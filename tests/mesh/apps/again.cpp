// again: node FROM sends a message to node TO until that many got there, and tries again when it
// cannot be reached; nodes 2 and 3 talk all the while. Words: FROM TO COUNT.
#include "meshputer.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace {

constexpr unsigned kTalk = 400;
constexpr unsigned kTries = 2000;
constexpr mesh::Tag kTalkTag = 7;

std::uint32_t word(mesh::Kernel& node, std::size_t at) {
    std::uint32_t value = 0;
    if (at < node.arguments().size()) {
        const std::string_view text = node.arguments()[at];
        std::from_chars(text.data(), text.data() + text.size(), value);
    }
    return value;
}

mesh::Process talk(mesh::Kernel& node) {
    const std::array<std::byte, 16> data{};
    mesh::Status worst = mesh::Status::ok;
    for (unsigned number = 0; number < kTalk; ++number) {
        const auto status = co_await mesh::send(node, mesh::node_at(3), {.tag = kTalkTag}, data);
        worst = status == mesh::Status::ok ? worst : status;
    }
    co_return worst;
}

mesh::Process listen(mesh::Kernel& node, unsigned count, mesh::Tag tag) {
    std::array<std::byte, 16> room{};
    for (unsigned number = 0; number < count; ++number)
        if ((co_await mesh::receive(node, room, mesh::kAnySource, tag)).status != mesh::Status::ok)
            co_return mesh::Status::failed;
    co_return mesh::Status::ok;
}

mesh::Process insist(mesh::Kernel& node, mesh::NodeId to, unsigned count) {
    const std::array<std::byte, 16> data{};
    unsigned failed = 0;
    for (unsigned sent = 0; sent < count && failed < kTries;) {
        if (co_await mesh::send(node, to, {.tag = 1}, data) == mesh::Status::ok) {
            ++sent;
            continue;
        }
        ++failed;
        co_await node.sleep(5 * mesh::wire::kTicksPerUnit);
    }
    printf("%s after %s\n", failed < kTries ? "all there" : "given up",
           failed == 0 ? "no failure" : "failures");
    co_return failed < kTries ? mesh::Status::ok : mesh::Status::unreachable;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const std::uint32_t self = mesh::index(node.id());
    const unsigned count = word(node, 2);
    mesh::ProcessId talking, listening;
    if (self == 2 && !node.spawn(talk(node), talking))
        co_return mesh::Status::no_memory;
    if (self == 3 && !node.spawn(listen(node, kTalk, kTalkTag), listening))
        co_return mesh::Status::no_memory;
    mesh::Status status = mesh::Status::ok;
    mesh::ProcessId mine;
    if (self == word(node, 0) &&
        node.spawn(insist(node, mesh::node_at(word(node, 1)), count), mine))
        status = co_await node.join(mine);
    if (self == word(node, 1) && node.spawn(listen(node, count, 1), mine))
        status = co_await node.join(mine);
    if (self == 2 && status == mesh::Status::ok)
        status = co_await node.join(talking);
    if (self == 3 && status == mesh::Status::ok)
        status = co_await node.join(listening);
    co_return status;
}
