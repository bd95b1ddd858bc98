// Nodes of the C interface, joined by the UARTs of a driver as a firmware in C would write it: with
// FIFOs of a few bytes, and interrupts that come when the world moves on.
#pragma once

#include "boards/c/node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace mesh::test {

/// What a firmware in C has for one node.
struct CFirmware {
    static constexpr std::size_t kFifo = 16;
    struct Uart {
        std::deque<std::uint8_t> received, sending;
        bool tells_received = false;
        bool tells_room = false;
    };
    std::array<Uart, 2> uarts;
    std::uint32_t now_us = 0xFFFF'0000; // soon beyond 32 bits
    std::uint32_t held = 0;
    std::function<void()> interrupt = [] {}; // comes with each byte and each look at the clock
    alignas(8) std::array<std::byte, 4096> posts;

    static CFirmware& of(void* context) { return *static_cast<CFirmware*>(context); }
    static constexpr mesh_driver driver() {
        return {.now_us =
                    [](void* context) {
                        of(context).interrupt();
                        return of(context).now_us;
                    },
                .waiting =
                    [](void* context, unsigned port) {
                        return static_cast<unsigned>(of(context).uarts.at(port).received.size());
                    },
                .read =
                    [](void* context, unsigned port) {
                        const std::uint8_t byte = of(context).uarts.at(port).received.front();
                        of(context).uarts.at(port).received.pop_front();
                        return byte;
                    },
                .room =
                    [](void* context, unsigned port) {
                        return static_cast<unsigned>(kFifo -
                                                     of(context).uarts.at(port).sending.size());
                    },
                .write =
                    [](void* context, unsigned port, std::uint8_t byte) {
                        of(context).uarts.at(port).sending.push_back(byte);
                        of(context).interrupt();
                    },
                .drained = [](void* context,
                              unsigned port) { return of(context).uarts.at(port).sending.empty(); },
                .tell_received = [](void* context, unsigned port,
                                    bool on) { of(context).uarts.at(port).tells_received = on; },
                .tell_room = [](void* context, unsigned port,
                                bool on) { of(context).uarts.at(port).tells_room = on; },
                .hold = [](void* context) { return of(context).held++; },
                .release = [](void* context, std::uint32_t held) { of(context).held = held; },
                .failed = [](void*, std::uint32_t check) { ADD_FAILURE() << "check " << check; }};
    }
};

/// A message as a test looks at it.
struct CMessage {
    std::uint32_t source;
    std::uint16_t tag;
    std::vector<std::uint8_t> bytes;
    bool operator==(const CMessage&) const = default;
};

/// A cube of one or two dimensions.
class CWorld {
public:
    explicit CWorld(unsigned dimension) : dimension_(dimension), dead(1u << dimension, false) {
        for (std::uint32_t node = 0; node < dead.size(); ++node) {
            auto& firmware = *firmwares_.emplace_back(std::make_unique<CFirmware>());
            const mesh_setup setup{.topology = MESH_CUBE,
                                   .dimension = dimension,
                                   .node = node,
                                   .birth = 0,
                                   .driver = &driver_,
                                   .context = &firmware,
                                   .posts = firmware.posts.data(),
                                   .posts_bytes = firmware.posts.size()};
            nodes_.push_back(std::make_unique<board::CNode>(setup));
            nodes_.back()->start();
        }
    }

    mesh_node* node(std::uint32_t number) { return nodes_[number].get(); }
    CFirmware& firmware(std::uint32_t number) { return *firmwares_[number]; }

    /// Lets all nodes have a turn and the cables carry what is sent. Gives the time for which
    /// nothing is to be done: 0 while anything moves.
    std::uint32_t move() {
        std::uint32_t sleep_us = UINT32_MAX;
        for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
            if (dead[number])
                continue;
            interrupts(number);
            sleep_us = std::min(sleep_us, mesh_turn(node(number)));
            EXPECT_EQ(firmware(number).held, 0u);
        }
        return carry() ? 0 : sleep_us;
    }
    void pass(std::uint32_t time_us) {
        for (auto& one : firmwares_)
            one->now_us += time_us;
    }
    /// Moves on until `done`, and lets time pass where nothing moves.
    void until(const std::function<bool()>& done) {
        for (unsigned moves = 0; !done(); ++moves) {
            ASSERT_LT(moves, 200'000u) << "it does not come to that";
            const std::uint32_t sleep_us = move();
            ASSERT_FALSE(sleep_us == UINT32_MAX && !done()) << "all sleep for ever";
            pass(std::max(1u, sleep_us == UINT32_MAX ? 0 : sleep_us));
        }
    }
    /// The next message of `number`, for which there is `room`.
    CMessage next(std::uint32_t number, std::size_t room = 8192) {
        std::vector<std::uint8_t> into(room);
        mesh_received got{};
        until([&] { return mesh_receive(node(number), into.data(), into.size(), &got); });
        EXPECT_EQ(got.status, MESH_OK);
        into.resize(std::min<std::size_t>(room, got.bytes));
        return {got.source, got.tag, into};
    }

private:
    void interrupts(std::uint32_t number) {
        for (unsigned port = 0; port < dimension_; ++port) {
            const CFirmware::Uart& uart = firmware(number).uarts.at(port);
            if ((uart.tells_received && !uart.received.empty()) ||
                (uart.tells_room && uart.sending.empty()))
                mesh_on_interrupt(node(number), port);
        }
    }
    bool carry() {
        bool moved = false;
        for (std::uint32_t number = 0; number < nodes_.size(); ++number)
            for (unsigned port = 0; port < dimension_; ++port) {
                auto& from = firmware(number).uarts.at(port).sending;
                auto& to = firmware(number ^ 1u << port).uarts.at(port).received;
                moved = moved || !from.empty();
                if (!dead[number ^ 1u << port])
                    to.insert(to.end(), from.begin(), from.end());
                from.clear();
            }
        return moved;
    }

    static constexpr mesh_driver driver_ = CFirmware::driver();
    unsigned dimension_;
    std::vector<std::unique_ptr<CFirmware>> firmwares_;
    std::vector<std::unique_ptr<board::CNode>> nodes_;

public:
    std::vector<bool> dead; // without power from now on
};

} // namespace mesh::test
