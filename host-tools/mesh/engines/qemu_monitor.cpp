#include "qemu_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>

namespace mesh::host {

namespace {

constexpr std::string_view kNodeMemory = "node_memory"; // of a board's main()
constexpr unsigned kPointerBytes = 4;

} // namespace

EmulatedMemory::EmulatedMemory(const Fd& monitor, const ImageSymbols& image, MonitorBudget& budget)
    : monitor_(monitor),
      image_(image),
      budget_(budget) {
    offsets = image.wait_offsets();
    pointer_bytes = kPointerBytes;
    const auto slot = std::ranges::find_if(
        offsets, [](const WaitOffsets& one) { return one.kind == WaitKind::slot; });
    const auto memory = image.variable(kNodeMemory);
    if (slot == offsets.end() || slot->at[2] == 0 || !memory)
        return;
    slots = memory->address;
    slot_count = image.node_memory().processes;
}

bool EmulatedMemory::read(std::uint64_t address, std::span<std::byte> out) {
    for (std::size_t done = 0; done < out.size();) {
        const std::size_t inside = (address + done) % kLineBytes;
        const Line* const line = line_at(address + done - inside);
        if (line == nullptr)
            return false;
        const std::size_t count = std::min(out.size() - done, kLineBytes - inside);
        std::copy_n(line->begin() + static_cast<std::ptrdiff_t>(inside), count,
                    out.begin() + static_cast<std::ptrdiff_t>(done));
        done += count;
    }
    return true;
}

std::string EmulatedMemory::function_at(std::uint64_t address) {
    return image_.function_at(address);
}

const EmulatedMemory::Line* EmulatedMemory::line_at(std::uint64_t address) {
    if (const auto known = lines_.find(address); known != lines_.end())
        return &known->second;
    Line line{};
    return fetch(address, line) ? &(lines_[address] = line) : nullptr;
}

/// Reads "R12=... R14=fffffff9 R15=10001234", then "XPSR=41000003 -Z-- T handler", whose lowest
/// nine bits are the number of the exception.
std::optional<EmulatedMemory::Registers> EmulatedMemory::registers() {
    constexpr std::uint32_t kException = 0x1FF;
    if (!ask("info registers\n"))
        return std::nullopt;
    Registers found;
    while (const auto text = next_text()) {
        const auto value = [&](std::string_view name) -> std::optional<std::uint32_t> {
            const auto at = text->find(name);
            if (at == std::string::npos)
                return std::nullopt;
            return static_cast<std::uint32_t>(
                std::strtoul(text->c_str() + at + name.size(), nullptr, 16));
        };
        found.lr = value("R14=").value_or(found.lr);
        found.pc = value("R15=").value_or(found.pc);
        if (const auto status = value("XPSR=")) {
            found.in_program = (*status & kException) == 0;
            return found;
        }
    }
    return std::nullopt;
}

/// False if the monitor does not take it.
bool EmulatedMemory::ask(const std::string& command) {
    return !silent_ && send(monitor_.get(), command.data(), command.size(), MSG_NOSIGNAL) ==
                           static_cast<ssize_t>(command.size());
}

/// Asks for a line, and reads answers such as "38000000: 0x00 0x01 ...". The only other output of
/// the monitor is the echo of the command.
bool EmulatedMemory::fetch(std::uint64_t address, Line& line) {
    if (!ask(fmt::format("x /{}xb {:#x}\n", kLineBytes, address)))
        return false;
    for (std::size_t got = 0; got < kLineBytes;) {
        const auto text = next_text();
        if (!text)
            return false;
        if (text->find("Cannot access memory") != std::string::npos)
            return false;
        const std::string head = fmt::format("{:08x}: ", address + got);
        if (!text->starts_with(head))
            continue;
        for (std::size_t at = head.size(); at < text->size() && got < kLineBytes; at += 5)
            line[got++] = static_cast<std::byte>(std::stoul(text->substr(at, 4), nullptr, 16));
    }
    return true;
}

bool MonitorBudget::wait_for(int descriptor) {
    using Clock = std::chrono::steady_clock;
    std::array<pollfd, 2> wanted{{{descriptor, POLLIN, 0}, {interruption, POLLIN, 0}}};
    const auto limit = std::max(left, kLeast);
    const auto begin = Clock::now();
    int ready = -1;
    do
        ready = poll(wanted.data(), wanted.size(), static_cast<int>(limit.count()));
    while (ready < 0 && errno == EINTR);
    if (ready > 0 && wanted[1].revents == 0)
        return true;
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    left = ready > 0 ? std::chrono::milliseconds{0} : left - waited;
    return false;
}

/// Its next line; nothing if none comes.
std::optional<std::string> EmulatedMemory::next_text() {
    for (;;) {
        if (const auto end = text_.find("\r\n"); end != std::string::npos) {
            std::string first = text_.substr(0, end);
            text_.erase(0, end + 2);
            return first;
        }
        std::array<char, 4096> more;
        const ssize_t got = budget_.wait_for(monitor_.get())
                                ? recv(monitor_.get(), more.data(), more.size(), MSG_DONTWAIT)
                                : 0;
        if (got <= 0) {
            silent_ = true;
            return std::nullopt;
        }
        text_.append(more.data(), static_cast<std::size_t>(got));
    }
}

} // namespace mesh::host
