// Images in flash: the one that a node boots, and the room for the next one.
//
// Flash has two slots. A slot has a head, twice, in an erase block of its own, then an image. An
// image counts when one of its heads is right and its checksum is that of the head; of two that
// count, the one that was finished later is the one to boot. A new image goes to the other slot:
//
//   1. the heads of that slot are erased, so that nothing there counts
//   2. the image is written, and read back
//   3. the first head is written, then the second one
//
// Wherever power fails, the slot of the image to boot has not been touched before step 3, and then
// the new image is whole: so a node boots the old image or the new one. A first head whose write
// was cut short may be right at one reading and wrong at the next. The second head is begun when
// the first one is written to the end, so an image with a second head counts for ever, and is
// settled. A new image never takes the slot of the newest settled one.
//
// Two slots, not one and a journal: a copy over the image that boots needs the new one whole in a
// second place anyway, writes all twice, and must be taken up again at boot. Images run from
// another memory, to which they are copied, so it does not matter in which slot one is.
#pragma once

#include "hal/flash.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace mesh {

/// A store's record of an image.
struct StoredImage {
    std::uint32_t bytes = 0;
    std::uint32_t crc = 0; // CRC-32 of these
    std::uint32_t version = 0;

    bool operator==(const StoredImage&) const = default;
};

template <hal::HasFlash F>
class ImageStore {
public:
    /// Looks at both slots: reads all images that are there.
    explicit ImageStore(F& flash) : flash_(flash) {
        if (bytes_max() == 0)
            return;
        for (unsigned slot = 0; slot < kSlots; ++slot)
            look_at(slot);
    }

    /// The bytes of the largest image that can be kept; 0: none can.
    std::uint32_t bytes_max() const {
        const std::uint32_t slot = slot_bytes();
        return slot > kHeadRoom ? slot - kHeadRoom : 0;
    }
    /// The image to boot, if there is one.
    std::optional<StoredImage> newest() const {
        const unsigned slot = newest_slot();
        return slot == kSlots ? std::nullopt : std::optional(slots_[slot].head.image);
    }
    /// True if this is the image to boot, and will be at every reading.
    bool keeps(const StoredImage& image) const {
        const unsigned slot = newest_slot();
        return slot != kSlots && slots_[slot].settled && slots_[slot].head.image == image;
    }
    /// Copies the image to boot into `room`. False: there is none, or it is not what it was, or
    /// larger than `room`; then the other one, if that counts, is the one to boot from now on.
    bool load(std::span<std::byte> room);

    /// Makes room for an image of so many bytes; the one to boot stays. False: it is larger than
    /// bytes_max(), or the flash failed.
    bool begin(std::uint32_t bytes);
    /// The next part of the image; all but the last one are multiples of kWriteBytes. Erases blocks
    /// as they are reached. False: the flash failed, or begin() did.
    bool append(std::span<const std::byte> part);
    /// True if this is the image that was appended, whole and as it came.
    bool has_come(const StoredImage& image) {
        return slot_ != kSlots && written_ == image.bytes && is_whole(slot_, image);
    }
    /// Checks the image that was appended, and makes it the one to boot. False: it is not what was
    /// appended, or not all of it; then the one to boot is the one of before.
    bool finish(const StoredImage& image);

private:
    static constexpr unsigned kSlots = 2;
    static constexpr std::uint32_t kMagic = 0x4D45'5348;

    struct Head {
        std::uint32_t magic = 0;
        std::uint32_t order = 0; // of finish() of this image among all
        StoredImage image;
        std::uint32_t checksum = 0;

        std::uint32_t right_checksum() const {
            return wire::crc32(wire::bytes_of(*this).first(offsetof(Head, checksum)));
        }
        bool right() const { return magic == kMagic && checksum == right_checksum(); }
    };
    // It outlives the loader that wrote it.
    static_assert(sizeof(Head) == 24 && std::has_unique_object_representations_v<Head>);
    static constexpr std::uint32_t rounded(std::uint32_t bytes) {
        return (bytes + F::kWriteBytes - 1) / F::kWriteBytes * F::kWriteBytes;
    }
    static constexpr unsigned kCopies = 2;
    static constexpr std::uint32_t kHeadBytes = rounded(sizeof(Head));
    static_assert(F::kEraseBytes % F::kWriteBytes == 0);
    /// The erase blocks of the heads of a slot.
    static constexpr std::uint32_t kHeadRoom =
        (kCopies * kHeadBytes + F::kEraseBytes - 1) / F::kEraseBytes * F::kEraseBytes;

    /// The content of a slot.
    struct Slot {
        Head head; // of an image that counts, else another magic
        bool settled = false;

        bool counts() const { return head.magic == kMagic; }
    };

    std::uint32_t slot_bytes() const {
        return flash_.bytes() / (kSlots * F::kEraseBytes) * F::kEraseBytes;
    }
    std::uint32_t head_at(unsigned slot) const { return slot * slot_bytes(); }
    std::uint32_t image_at(unsigned slot) const { return head_at(slot) + kHeadRoom; }
    void look_at(unsigned slot);
    bool is_whole(unsigned slot, const StoredImage& image);
    unsigned newest_slot(bool settled = false) const;
    unsigned slot_to_keep() const;
    bool write_head(unsigned slot, unsigned copy, const Head& head);
    bool erase_to(std::uint32_t end);

    F& flash_;
    std::array<Slot, kSlots> slots_{};
    unsigned slot_ = kSlots;    // of the image that is written; kSlots: none is
    std::uint32_t written_ = 0; // bytes of that
    std::uint32_t erased_ = 0;  // bytes of the slot, behind its head
};

/// Reads the heads and the image of a slot.
template <hal::HasFlash F>
void ImageStore<F>::look_at(unsigned slot) {
    slots_[slot] = {};
    for (unsigned copy = 0; copy < kCopies; ++copy) {
        std::array<std::byte, sizeof(Head)> bytes;
        flash_.read(head_at(slot) + copy * kHeadBytes, bytes);
        const auto head = wire::load<Head>(bytes, 0);
        if (head.right() && (slots_[slot].counts() || is_whole(slot, head.image)))
            slots_[slot] = {head, copy != 0};
    }
}

/// The image of a slot has the checksum that it should have.
template <hal::HasFlash F>
bool ImageStore<F>::is_whole(unsigned slot, const StoredImage& image) {
    if (image.bytes == 0 || image.bytes > bytes_max())
        return false;
    std::array<std::byte, 64> bytes;
    std::uint32_t crc = 0;
    for (std::uint32_t at = 0; at < image.bytes;) {
        const auto part =
            std::span{bytes}.first(std::min<std::size_t>(bytes.size(), image.bytes - at));
        flash_.read(image_at(slot) + at, part);
        crc = wire::crc32(part, crc);
        at += static_cast<std::uint32_t>(part.size());
    }
    return crc == image.crc;
}

/// Of the images that count, or of those that are settled; kSlots if there is none.
template <hal::HasFlash F>
unsigned ImageStore<F>::newest_slot(bool settled) const {
    unsigned newest = kSlots;
    for (unsigned slot = 0; slot < kSlots; ++slot)
        if (slots_[slot].counts() && (slots_[slot].settled || !settled) &&
            (newest == kSlots || slots_[slot].head.order > slots_[newest].head.order))
            newest = slot;
    return newest;
}

template <hal::HasFlash F>
unsigned ImageStore<F>::slot_to_keep() const {
    const unsigned settled = newest_slot(true);
    return settled == kSlots ? newest_slot() : settled;
}

template <hal::HasFlash F>
bool ImageStore<F>::write_head(unsigned slot, unsigned copy, const Head& head) {
    std::array<std::byte, kHeadBytes> bytes;
    bytes.fill(std::byte{0xFF});
    wire::store(bytes, 0, head);
    return flash_.write(head_at(slot) + copy * kHeadBytes, bytes);
}

template <hal::HasFlash F>
bool ImageStore<F>::load(std::span<std::byte> room) {
    const unsigned slot = newest_slot();
    if (slot == kSlots)
        return false;
    const StoredImage& image = slots_[slot].head.image;
    if (image.bytes <= room.size()) {
        flash_.read(image_at(slot), room.first(image.bytes));
        if (wire::crc32(room.first(image.bytes)) == image.crc)
            return true;
    }
    slots_[slot] = {};
    return false;
}

template <hal::HasFlash F>
bool ImageStore<F>::begin(std::uint32_t bytes) {
    slot_ = kSlots;
    if (bytes > bytes_max())
        return false;
    const unsigned slot = slot_to_keep() == 0 ? 1 : 0;
    slots_[slot] = {};
    for (std::uint32_t at = 0; at < kHeadRoom; at += F::kEraseBytes)
        if (!flash_.erase(head_at(slot) + at))
            return false;
    slot_ = slot;
    written_ = 0;
    erased_ = 0;
    return true;
}

template <hal::HasFlash F>
bool ImageStore<F>::erase_to(std::uint32_t end) {
    for (; erased_ < end; erased_ += F::kEraseBytes)
        if (!flash_.erase(image_at(slot_) + erased_))
            return false;
    return true;
}

template <hal::HasFlash F>
bool ImageStore<F>::append(std::span<const std::byte> part) {
    const auto bytes = static_cast<std::uint32_t>(part.size());
    if (slot_ == kSlots || written_ % F::kWriteBytes != 0 || bytes > bytes_max() - written_ ||
        !erase_to(written_ + bytes))
        return false;
    const std::uint32_t whole = bytes / F::kWriteBytes * F::kWriteBytes;
    bool done = flash_.write(image_at(slot_) + written_, part.first(whole));
    if (done && whole != bytes) {
        std::array<std::byte, F::kWriteBytes> last;
        last.fill(std::byte{0xFF});
        std::ranges::copy(part.subspan(whole), last.begin());
        done = flash_.write(image_at(slot_) + written_ + whole, last);
    }
    written_ += bytes;
    return done;
}

template <hal::HasFlash F>
bool ImageStore<F>::finish(const StoredImage& image) {
    if (!has_come(image))
        return false;
    const unsigned before = newest_slot();
    Head head{kMagic, before == kSlots ? 1 : slots_[before].head.order + 1, image};
    head.checksum = head.right_checksum();
    const unsigned slot = slot_;
    slot_ = kSlots;
    if (!write_head(slot, 0, head) || !write_head(slot, 1, head))
        return false;
    look_at(slot);
    return newest_slot() == slot;
}

} // namespace mesh
