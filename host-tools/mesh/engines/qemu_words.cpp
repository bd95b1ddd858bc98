// The command line of a node's emulator.
#include "flash_files.hpp"
#include "node_starter.hpp"
#include "wire/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

namespace {

/// The descriptors that a node's emulator gets: its sockets, its monitor, and the socket of its GDB
/// stub, if it has one.
constexpr int kFirstSocketFd = kChildFirstFd;

using Words = std::vector<std::string>;

/// All ports share one interface, which has the identity as its address, if nodes are given one.
void add_interface(Words& words, const RigPlan& plan, const wire::Mac& mac) {
    const std::string address =
        plan.one_cable ? "" : fmt::format(",macaddr={:02x}", fmt::join(mac, ":"));
    words.insert(words.end(), {"-netdev", fmt::format("socket,id=n,fd={}", kFirstSocketFd), "-net",
                               fmt::format("nic,netdev=n{}", address)});
}

/// The identity is put into memory.
void add_identity(Words& words, const BoardFacts& board, const wire::Mac& mac) {
    std::uint64_t identity = 0;
    for (std::size_t at = 0; at < mac.size(); ++at)
        identity |= std::uint64_t{mac[at]} << (8 * at);
    words.insert(words.end(), {"-device", fmt::format("loader,addr={:#x},data={:#x},data-len=8",
                                                      board.identity_at, identity)});
}

void add_flash(Words& words, const RigPlan& plan, NodeId node) {
    std::string file; // a comma would end it
    for (const char sign : flash_file(plan, node))
        file += sign == ',' ? std::string(",,") : std::string(1, sign);
    words.insert(words.end(), {"-drive", "if=mtd,format=raw,file=" + file});
}

/// A line for the host, if the node has it, then one for each port. A receiver that takes one byte
/// at a time has the emulator's own buffer before it, which a program that reads a byte empties
/// without a turn of the emulator; 256 is no byte, and so leads to no menu.
void add_serial_lines(Words& words, const BoardFacts& board, unsigned ports, bool host) {
    const std::string_view buffer = board.serial_fill == 1 ? ",mux=on" : "";
    words.insert(words.end(), {"-echr", "256"});
    const auto used = std::span(board.serial_lines).first(board.sockets(ports));
    for (unsigned line = 0; line <= std::ranges::max(used); ++line) {
        const auto number = std::ranges::find(used, line) - used.begin();
        const bool unused = number == std::ssize(used) || (number == 0 && !host);
        if (!unused)
            words.insert(words.end(), {"-chardev", fmt::format("socket,id=l{},fd={}{}", number,
                                                               kFirstSocketFd + number, buffer)});
        words.insert(words.end(),
                     {"-serial", unused ? "null" : fmt::format("chardev:l{}", number)});
    }
}

} // namespace

/// Semihosting is there for the exit status alone. Its other calls would run commands and write
/// files here, by the image's will; given to a debugger instead, they do nothing without one.
Words qemu_words(const RigPlan& plan, NodeId node, const wire::Mac& mac) {
    const unsigned ports = port_count(plan.network);
    Words words{plan.qemu};
    words.insert(words.end(), plan.board.machine.begin(), plan.board.machine.end());
    // A small translation buffer: the image is small, and every node pays for its own.
    words.insert(words.end(), {"-accel", "tcg,tb-size=2", "-no-user-config", "-display", "none",
                               "-semihosting-config", "enable=on,target=gdb"});
    // A flash is one of the devices that emulators from 8.1 on leave out with -nodefaults.
    if (plan.keep() != 0)
        words.insert(words.end(), {"-nic", "none", "-parallel", "none"});
    else
        words.emplace_back("-nodefaults");
    if (!plan.board.serial())
        add_interface(words, plan, mac);
    else if (!plan.one_cable)
        add_identity(words, plan.board, mac);
    if (plan.board.serial())
        add_serial_lines(words, plan.board, ports, !plan.one_cable || node == NodeId{0});
    if (!plan.options.flash.empty())
        add_flash(words, plan, node);
    const int monitor = kFirstSocketFd + static_cast<int>(plan.board.sockets(ports));
    words.insert(words.end(),
                 {"-chardev", fmt::format("socket,id=m,fd={}", monitor), "-mon", "chardev=m",
                  "-kernel", plan.loader.empty() ? plan.program(node).image : plan.loader});
    if (plan.sandbox)
        words.insert(words.end(), {"-sandbox", "on,obsolete=deny,elevateprivileges=deny,"
                                               "spawn=deny,resourcecontrol=deny"});
    if (std::find(plan.gdb.begin(), plan.gdb.end(), node) != plan.gdb.end()) {
        const std::string stub = fmt::format("socket,id=g,fd={},server=on,wait=off", monitor + 1);
        words.insert(words.end(), {"-S", "-chardev", stub, "-gdb", "chardev:g"});
    }
    return words;
}

Words qemu_words(const RigPlan& plan, NodeId node, unsigned starts) {
    return qemu_words(plan, node, wire::to_mac({plan.network, node, starts}));
}

} // namespace mesh::host
