// The board by itself, without a kernel: over its HAL alone it sends, takes, sleeps and fails as
// the driver of `make conform` says (tests/conform/messages.hpp). It looks at every byte that comes
// back to it and at every time (hal/conform.hpp), and says what it found.
#include "hal/conform.hpp"
#include "board.hpp"
#include "boards/cortex-m/pool.hpp"
#include "boards/cortex-m/stack.hpp"
#include "chip.hpp"
#include "hal/check.hpp"
#include "tests/conform/messages.hpp"
#include "tests/target/bare_console.hpp"
#include "wire/host_messages.hpp"

#include <array>
#include <cstdio>

namespace {

using namespace mesh;
using conform::Command;
using conform::What;
using mesh::board::Board;
using Conform = conform::Questions<Board>;

constexpr unsigned kPorts = Board::kPorts;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

Board* the_board = nullptr;

unsigned long plain(std::uint64_t number) { return static_cast<unsigned long>(number); }

void sizes() {
    namespace chip = board::chip;
    const auto identity = the_board->identity();
    std::printf("identity %u %d %lu %u\n", static_cast<unsigned>(identity.network.topology),
                identity.network.dim, plain(index(identity.node)), kPorts);
    std::printf("memory %u %u %u %lu %lu %lu\n", chip::kPathLinksMax, chip::kProcesses,
                chip::kMessageReceivers, plain(chip::kArenaBytes), plain(chip::kWorkspaceBytes),
                plain(board::kBuffers));
    for (unsigned ports = 1; ports <= kPorts; ++ports)
        std::printf("window %lu\n", plain(the_board->window_bytes(ports)));
    std::printf("stack %lu\n", plain(board::stack_bytes_used()));
}

void print(std::uint32_t bytes) {
    for (std::uint32_t at = 1; at < bytes; ++at)
        std::putchar(static_cast<int>('a' + at % 26));
    std::putchar('\n');
}

void lengths(Conform& ask, const Command& command) {
    const auto seen = ask.lengths(port_at(command.port), command.first, command.last, command.step);
    if (seen.late || seen.wrong)
        std::printf("%s %lu\n", seen.late ? "late" : "wrong", plain(seen.at));
    else
        std::printf("back %lu waits %lu\n", plain(seen.back), plain(seen.waits));
}

void flood(Conform& ask, std::uint32_t ms) {
    ask.flood(ms);
    for (unsigned port = 0; port < kPorts; ++port) {
        const auto seen = ask.flooded(port);
        std::printf("port %u sent %lu back %lu wrong %lu\n", port, plain(seen.sent),
                    plain(seen.back), plain(seen.wrong));
    }
}

void send_many(Conform& ask, const Command& command) {
    const auto seen = ask.send_many(port_at(command.port), command.first);
    if (seen.late)
        std::printf("late %lu\n", plain(seen.frames));
    else
        std::printf("sent %lu busy %lu\n", plain(seen.frames), plain(seen.busy));
}

void sleep_ms(Conform& ask, std::uint32_t ms) {
    ask.sleep_ms(ms);
    std::puts("awake");
}

void counts(Conform& ask) {
    const auto seen = ask.counts();
    std::printf("good %lu bad %lu\n", plain(seen.good), plain(seen.bad));
}

void alarm(Conform& ask, std::uint32_t us) {
    const auto seen = ask.alarm(us);
    std::printf("slept %lu wakes %u\n", plain(seen.slept_us), seen.wakes);
}

[[gnu::noinline]] unsigned recurse(unsigned depth) {
    volatile unsigned eater[64] = {};
    eater[depth % 64] = depth;
    return depth == 0 ? 0 : recurse(depth - 1) + eater[depth % 64];
}

/// With a frame to the host still on its way, where the board takes its time with one.
void halt_in_mid_frame() {
    std::array<char, 900> text;
    text.fill('x');
    bare::send_text(*the_board, text);
    check_failed(ProgramEnd::program_exited);
}

void execute(Conform& ask, const Command& command) {
    switch (command.what) {
    case What::sizes: sizes(); break;
    case What::print: print(command.first); break;
    case What::lengths: lengths(ask, command); break;
    case What::flood: flood(ask, command.first); break;
    case What::send: send_many(ask, command); break;
    case What::sleep: sleep_ms(ask, command.first); break;
    case What::counts: counts(ask); break;
    case What::alarm: alarm(ask, command.first); break;
    case What::check: check_failed(Invariant::arena_bad_free); break;
    case What::halt: halt_in_mid_frame(); break;
    case What::recurse: std::printf("%u\n", recurse(command.first)); break;
    case What::hang: the_board->hang(); break;
    }
}

} // namespace

/// A frame for each line, or part of a long one.
void mesh::console_write(std::span<const char> text) { bare::write_lines(*the_board, text); }

void mesh::console_flush() {}

int main() {
    static Board board;
    the_board = &board;
    std::puts("ready");
    board.set_alarm_us(kNever);
    static Conform ask{board};
    for (;;) {
        const Conform::Came came = ask.poll();
        if (came == Conform::Came::none)
            board.wait();
        if (came != Conform::Came::host)
            continue;
        const auto command = wire::load<Command>(ask.packet(), wire::kPacketHeaderBytes);
        ask.lend();
        execute(ask, command);
    }
}
