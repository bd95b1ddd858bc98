// Images in flash: whatever an update was doing when power failed, a node boots the old image or
// the new one, and can be updated again.
#include "hal/flash.hpp"
#include "onecable/image_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace mesh::test {
namespace image_store_test {

using Bytes = std::vector<std::byte>;

/// Power has failed.
struct PowerCut {};

/// What is left of the erase or write in which power failed; `changing`: at one start what was
/// there before, at the next one what was to be there.
enum class Left { before, half, all, changing };
constexpr std::array kLeft{Left::before, Left::half, Left::all, Left::changing};

/// Flash of small blocks, whose power fails in the operation that a test names.
template <std::uint32_t kErase, std::uint32_t kWrite>
class SimulatedFlash {
public:
    static constexpr std::uint32_t kEraseBytes = kErase;
    static constexpr std::uint32_t kWriteBytes = kWrite;
    static constexpr unsigned kNever = ~0u;

    explicit SimulatedFlash(std::uint32_t bytes) : memory_(bytes), written_(bytes / kWrite) {
        for (std::uint32_t at = 0; at < bytes; ++at)
            memory_[at] = static_cast<std::byte>(at * 7); // as it was delivered
        written_.flip();
    }

    std::uint32_t bytes() const { return static_cast<std::uint32_t>(memory_.size()); }
    bool erase(std::uint32_t position) {
        EXPECT_EQ(position % kErase, 0u);
        std::fill_n(written_.begin() + position / kWrite, kErase / kWrite, false);
        change(position, Bytes(kErase, std::byte{0xFF}));
        return true;
    }
    bool write(std::uint32_t position, std::span<const std::byte> in) {
        EXPECT_EQ(position % kWrite, 0u);
        EXPECT_EQ(in.size() % kWrite, 0u);
        for (std::uint32_t at = 0; at < in.size(); at += kWrite) {
            EXPECT_FALSE(written_[(position + at) / kWrite]) << "twice, at " << position + at;
            written_[(position + at) / kWrite] = true;
            change(position + at, Bytes(in.begin() + at, in.begin() + at + kWrite));
        }
        return true;
    }
    void read(std::uint32_t position, std::span<std::byte> out) const {
        std::copy_n(memory_.begin() + position, out.size(), out.begin());
    }

    /// Power fails in the `operation`th erase or write of a unit from now on.
    void cut_at(unsigned operation, Left left) {
        operations_ = 0;
        cut_at_ = operation;
        left_ = left;
    }
    /// Power is there again, up to the next cut.
    void restart() {
        cut_at_ = kNever;
        if (!changing_.empty())
            std::swap_ranges(changing_.begin(), changing_.end(), memory_.begin() + changing_at_);
    }
    void damage(std::uint32_t position) { memory_[position] ^= std::byte{1}; }

private:
    void change(std::uint32_t position, const Bytes& to) {
        const auto place = memory_.begin() + position;
        if (position < changing_at_ + changing_.size() && changing_at_ < position + to.size())
            changing_.clear(); // erased once more
        if (operations_++ != cut_at_) {
            std::ranges::copy(to, place);
            return;
        }
        if (left_ == Left::changing) {
            changing_ = to;
            changing_at_ = position;
        } else if (left_ != Left::before) {
            const std::size_t half = left_ == Left::half ? 2 : 1;
            std::copy_n(to.begin(), to.size() / half, place);
        }
        throw PowerCut{};
    }

    Bytes memory_;
    std::vector<bool> written_;
    unsigned operations_ = 0;
    unsigned cut_at_ = kNever;
    Left left_ = Left::before;
    Bytes changing_;
    std::uint32_t changing_at_ = 0;
};

using Flash = SimulatedFlash<64, 8>;
static_assert(hal::HasFlash<Flash>);

constexpr std::uint32_t kFlashBytes = 2 * 5 * 64;
constexpr std::size_t kImageBytes = 173;
constexpr std::size_t kPart = 64;
/// A block of heads, three of the image, 22 units of it, and three of each head.
constexpr unsigned kOperations = 1 + 3 + 22 + 2 * 3;

Bytes image(unsigned version) {
    Bytes bytes(kImageBytes + version);
    for (std::size_t at = 0; at < bytes.size(); ++at)
        bytes[at] = static_cast<std::byte>(at * at + 31 * version);
    return bytes;
}

StoredImage about(unsigned version) {
    const Bytes bytes = image(version);
    return {static_cast<std::uint32_t>(bytes.size()), wire::crc32(bytes), version};
}

/// A node is started, and given a version.
template <class F>
bool update(F& flash, unsigned version) {
    ImageStore store(flash);
    const Bytes bytes = image(version);
    if (!store.begin(static_cast<std::uint32_t>(bytes.size())))
        return false;
    for (std::size_t at = 0; at < bytes.size(); at += kPart)
        if (!store.append(std::span(bytes).subspan(at, std::min(kPart, bytes.size() - at))))
            return false;
    return store.finish(about(version));
}

/// The version that a node boots when it is started; 0: none.
template <class F>
unsigned booted(F& flash) {
    ImageStore store(flash);
    const auto newest = store.newest();
    Bytes room(store.bytes_max());
    if (!store.load(room))
        return 0;
    EXPECT_TRUE(newest.has_value());
    room.resize(newest->bytes);
    EXPECT_EQ(room, image(newest->version)) << "it is another image than its head says";
    return newest->version;
}

/// Gives a node a version while power fails in that operation; false: it did not come so far.
template <class F>
bool cut(F& flash, unsigned version, unsigned operation, Left left) {
    flash.cut_at(operation, left);
    bool failed = false;
    try {
        EXPECT_TRUE(update(flash, version));
    } catch (const PowerCut&) {
        failed = true;
    }
    flash.restart();
    return failed;
}

TEST(ImageStore, BootsTheOldImageOrTheNewOneWhereverPowerFails) {
    unsigned operations = 0;
    unsigned old = 0;
    unsigned with_new = 0;
    for (const Left left : kLeft)
        for (unsigned operation = 0;; ++operation) {
            Flash flash(kFlashBytes);
            ASSERT_TRUE(update(flash, 1));
            if (!cut(flash, 2, operation, left))
                break;
            operations = std::max(operations, operation + 1);
            for (unsigned start = 0; start < 3; ++start) {
                const unsigned version = booted(flash);
                ASSERT_TRUE(version == 1 || version == 2) << version << " at " << operation;
                (version == 1 ? old : with_new) += 1;
                flash.restart();
            }
            ASSERT_TRUE(update(flash, 3));
            ASSERT_EQ(booted(flash), 3u);
        }
    EXPECT_EQ(operations, kOperations);
    EXPECT_GT(old, 0u);
    EXPECT_GT(with_new, 0u);
}

TEST(ImageStore, BootsAnImageWhereverPowerFailsTwice) {
    constexpr unsigned kCoarse = 1 + 3 + 6 + 2 * 1; // operations of a flash with longer units
    SimulatedFlash<64, 32> old(kFlashBytes);
    ASSERT_TRUE(update(old, 1));
    for (const Left first : kLeft)
        for (unsigned one = 0; one < kCoarse; ++one) {
            auto once = old;
            ASSERT_TRUE(cut(once, 2, one, first));
            for (const Left second : kLeft)
                for (unsigned other = 0; other < kCoarse; ++other) {
                    auto flash = once;
                    ASSERT_TRUE(cut(flash, 3, other, second));
                    for (unsigned start = 0; start < 3; ++start) {
                        ASSERT_NE(booted(flash), 0u) << one << ", " << other;
                        flash.restart();
                    }
                }
        }
}

TEST(ImageStore, KeepsAnImageForGoodOnlyOnceItsSecondHeadIsWritten) {
    unsigned kept = 0;
    unsigned for_now = 0;
    for (unsigned operation = 0; operation < kOperations; ++operation) {
        Flash flash(kFlashBytes);
        ASSERT_TRUE(update(flash, 1));
        ASSERT_TRUE(cut(flash, 2, operation, Left::changing));
        for (unsigned start = 0; start < 4; ++start) {
            const ImageStore store(flash);
            const bool boots = store.newest() == about(2);
            for_now += boots && !store.keeps(about(2)) ? 1 : 0;
            if (store.keeps(about(2))) {
                ++kept;
                for (unsigned later = 0; later < 4; ++later, flash.restart())
                    ASSERT_EQ(booted(flash), 2u) << "operation " << operation;
            }
            flash.restart();
        }
    }
    EXPECT_GT(kept, 0u);
    EXPECT_GT(for_now, 0u);
}

TEST(ImageStore, BootsNothingBeforeTheFirstImageIsWhole) {
    constexpr unsigned kFirstHead = kOperations - 4; // its last unit
    for (unsigned operation = 0; operation < kOperations; ++operation) {
        Flash flash(kFlashBytes);
        EXPECT_EQ(booted(flash), 0u);
        ASSERT_TRUE(cut(flash, 1, operation, Left::all));
        ASSERT_EQ(booted(flash), operation < kFirstHead ? 0u : 1u);
    }
}

TEST(ImageStore, TakesTurnsBetweenItsSlotsForEver) {
    Flash flash(kFlashBytes);
    for (unsigned version = 1; version <= 9; ++version) {
        ASSERT_TRUE(update(flash, version));
        ASSERT_EQ(booted(flash), version);
    }
    ASSERT_TRUE(update(flash, 4));
    EXPECT_EQ(booted(flash), 4u) << "the later one counts, not the higher version";
}

TEST(ImageStore, GoesBackToTheImageOfBeforeIfTheNewestIsDamaged) {
    Flash flash(kFlashBytes);
    ASSERT_TRUE(update(flash, 1) && update(flash, 2));
    flash.damage(kFlashBytes / 2 + 64 + 100);
    EXPECT_EQ(booted(flash), 1u);
    ASSERT_TRUE(update(flash, 3));
    EXPECT_EQ(booted(flash), 3u);
    flash.damage(kFlashBytes / 2 + 64 + 100);
    EXPECT_EQ(booted(flash), 1u) << "the damaged one was in the slot that was free";
}

TEST(ImageStore, GoesBackIfTheNewestIsDamagedWhileTheNodeIsOn) {
    Flash flash(kFlashBytes);
    ASSERT_TRUE(update(flash, 1) && update(flash, 2));
    ImageStore store(flash);
    flash.damage(kFlashBytes / 2 + 64 + 100);
    Bytes room(store.bytes_max());
    EXPECT_FALSE(store.load(room));
    EXPECT_EQ(store.newest(), about(1));
    EXPECT_TRUE(store.load(room));
}

TEST(ImageStore, FinishesNothingButWhatItWasGiven) {
    Flash flash(kFlashBytes);
    ASSERT_TRUE(update(flash, 1));
    ImageStore store(flash);
    const Bytes bytes = image(2);
    EXPECT_FALSE(store.append(bytes)) << "begin() was not called";
    ASSERT_TRUE(store.begin(about(2).bytes) && store.append(std::span(bytes).first(kPart)));
    EXPECT_FALSE(store.finish(about(2))) << "it has one part";
    ASSERT_TRUE(store.begin(about(2).bytes) && store.append(bytes));
    StoredImage other = about(2);
    other.crc ^= 1;
    EXPECT_FALSE(store.finish(other));
    EXPECT_EQ(booted(flash), 1u);
}

TEST(ImageStore, KeepsNoImageThatHasNoRoom) {
    Flash flash(kFlashBytes);
    ImageStore store(flash);
    EXPECT_EQ(store.bytes_max(), 4u * 64);
    EXPECT_FALSE(store.begin(store.bytes_max() + 1));
    ASSERT_TRUE(store.begin(store.bytes_max()));
    EXPECT_TRUE(store.append(Bytes(store.bytes_max())));
    EXPECT_FALSE(store.append(Bytes(8)));
    hal::NullFlash none;
    EXPECT_EQ(ImageStore(none).bytes_max(), 0u);
    EXPECT_FALSE(ImageStore(none).newest());
    EXPECT_FALSE(ImageStore(none).begin(1));
}

/// Bytes that are written one by one, as on most SPI parts, and units as long as a head.
TEST(ImageStore, WorksWithAnyUnits) {
    SimulatedFlash<32, 1> fine(2 * 9 * 32);
    SimulatedFlash<128, 32> coarse(2 * 4 * 128);
    EXPECT_TRUE(update(fine, 1) && update(fine, 2) && update(coarse, 1) && update(coarse, 2));
    EXPECT_EQ(booted(fine), 2u);
    EXPECT_EQ(booted(coarse), 2u);
}

} // namespace image_store_test
} // namespace mesh::test
