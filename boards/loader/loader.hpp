// The loader of a node: takes an image from its parent, passes it on to its children while it
// comes, checks it, and ends when it is to be started. See wire/load.hpp.
//
// It knows only messages since its reset: after a reset it says by all ports that it has nothing,
// and gets the image again from a node that has it.
//
// On a board with flash it keeps an image there that has a version, and boots it when no parent
// says a word. An image is kept from the moment on at which the word to start comes, so it is kept
// everywhere or, if a node refuses it, nowhere; a power cut at that moment may leave some nodes
// with the image of before.
#pragma once

#include "board_flash.hpp"
#include "service/image_store.hpp"
#include "wire/load.hpp"

#include <ports.hpp> // of the board: boards/loader/KIND

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

class Loader {
public:
    /// `room`: where images go.
    explicit Loader(std::span<std::byte> room) : room_(room) {}
    /// Until there is an image to start: one that came, and this part of the tree knows, or the one
    /// in flash.
    void run();

private:
    static constexpr unsigned kPorts = Ports::kPorts;

    /// The node at the other end of a port above the parent's, as far as it has told of itself.
    struct Child {
        std::uint32_t has;  // bytes
        NodeId waits_for;   // of its part of the tree
        std::uint8_t depth; // of that
        bool goes_on;       // since something was sent to it
        std::uint32_t sent_at_us;
    };

    unsigned first_child() const { return parent_ == kHostPort ? 0 : index(parent_) + 1; }
    bool whole() const { return bytes_ != 0 && have_ == bytes_; }
    bool refuses() const { return refuser_ != kNoNode; }
    StoredImage image() const { return {bytes_, crc_, version_}; }
    void look_at_children();

    void on_message(Port port, std::span<const std::byte> message);
    void on_block(Port port, const wire::LoadHeader& header, std::span<const std::byte> block);
    void on_answer(Port port, const wire::LoadHeader& header);
    void adopt(Port port, const wire::LoadHeader& header);
    void forget(unsigned child);
    void begin_start();

    bool boots();
    void begin_to_keep();
    void refuse(std::uint32_t why);

    void send_all();
    bool due(const Child& child) const;
    void send_to(unsigned child);
    bool send(Port port, wire::LoadHeader header, std::span<const std::byte> block = {});

    Ports ports_;
    Flash flash_;
    ImageStore<Flash> store_{flash_};
    std::span<std::byte> room_;
    Port parent_ = kNoPort;
    NodeId node_ = kNoNode;
    unsigned dim_ = 0;
    std::uint32_t crc_ = 0;
    std::uint32_t bytes_ = 0;    // of the image
    std::uint32_t have_ = 0;     // of these
    std::uint32_t version_ = 0;  // under which it is kept; 0: it is not
    bool older_ = false;         // it is kept also in place of a later one
    bool keeps_ = false;         // it goes to flash while it comes
    NodeId refuser_ = kNoNode;   // it does not keep the image
    std::uint32_t refusal_ = 0;  // see LoadTag::refused
    NodeId waits_for_ = kNoNode; // of this part of the tree
    unsigned depth_ = 0;         // of that
    bool answers_ = false;       // to the parent, as soon as that port is ready
    bool starting_ = false;
    std::uint32_t told_at_us_ = 0;  // to start, by the parent
    std::uint32_t heard_at_us_ = 0; // the last word of the parent
    std::array<Child, kPorts> children_{};
};

} // namespace mesh::board
