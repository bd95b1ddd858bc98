#include "kernel/api/waits.hpp"

#include "kernel/api/alt.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/api/message.hpp"
#include "kernel/api/within.hpp"
#include "kernel/node/kernel.hpp"

// These classes have bases and private members; the compilers that we use lay them out all the
// same.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace mesh {

/// A friend of the waits: knows where each keeps the fields that tell what it waits for.
struct WaitPlaces {
    static constexpr std::size_t kSourceMatch = offsetof(SourceWait, match_);
    static constexpr std::size_t kEngaged = sizeof(SourceWait); // of an optional one
    static constexpr std::size_t kReady = sizeof(Waiting);      // of an Awaiter

    static constexpr std::array<WaitOffsets, 26> kOffsets{{
        {"mesh::ProcessSlot", WaitKind::slot, offsetof(ProcessSlot, root),
         offsetof(ProcessSlot, waiting), sizeof(ProcessSlot)},
        {"mesh::Waiting", WaitKind::waiting, offsetof(Waiting, ask_), sizeof(Waiting),
         offsetof(Waiting, wake_)},
        {"mesh::Kernel::Allocation", WaitKind::buffer},
        {"mesh::Kernel::Posting", WaitKind::buffer},
        {"mesh::Kernel::Arrival", WaitKind::mail, offsetof(Kernel::Arrival, match_)},
        {"mesh::PacketAwait", WaitKind::mail, offsetof(PacketAwait, wait_) + kSourceMatch},
        {"mesh::NextPacket", WaitKind::mail, offsetof(NextPacket, wait_) + kSourceMatch,
         offsetof(NextPacket, wait_) + kEngaged},
        {"mesh::Receiving", WaitKind::mail, offsetof(Receiving, wait_) + kSourceMatch,
         offsetof(Receiving, wait_) + kEngaged},
        {"mesh::Sending", WaitKind::taking, offsetof(Sending, outgoing_) + offsetof(Outgoing, to),
         offsetof(Sending, options_) + offsetof(SendOptions, tag)},
        {"mesh::detail::MailThere", WaitKind::mail, kReady + offsetof(detail::MailThere, match)},
        {"mesh::detail::ProcessEnded", WaitKind::process,
         kReady + offsetof(detail::ProcessEnded, process)},
        {"mesh::detail::TimeCome", WaitKind::time},
        {"mesh::detail::TurnCome", WaitKind::turn},
        {"mesh::detail::ChannelWait", WaitKind::channel, offsetof(detail::ChannelWait, wanted_)},
        {"mesh::Attempt", WaitKind::attempt, offsetof(Attempt, inner_)},
        {"mesh::detail::Alternative", WaitKind::alternative, kReady},
        {"mesh::detail::RowAlternative", WaitKind::row, kReady},
        {"mesh::MailGuard", WaitKind::mail_guard, offsetof(MailGuard, match), sizeof(MailGuard),
         alignof(MailGuard)},
        {"mesh::ChannelGuard", WaitKind::channel_guard, 0, sizeof(ChannelGuard<int>),
         alignof(ChannelGuard<int>)},
        {"mesh::TimeGuard", WaitKind::time_guard, 0, sizeof(TimeGuard), alignof(TimeGuard)},
        // of library/, which has no objects of its own
        {"mesh::detail::FairAlternative", WaitKind::alternative, kReady},
        {"mesh::ConditionalGuard", WaitKind::conditional_guard},
        {"mesh::detail::RequestEnded", WaitKind::request},
        // of mpi/, whose programs have them
        {"mesh::mpi::RequestDone", WaitKind::mpi, kReady + sizeof(void*)},
        {"mesh::mpi::MessageThere", WaitKind::mpi, kReady + sizeof(void*)},
        {"mesh::mpi::OneDone", WaitKind::request},
    }};
};

/// The linker script asks for it by this name, so that it is in every image.
extern const std::array<WaitOffsets, WaitPlaces::kOffsets.size()>
    kWaitOffsets asm("mesh_wait_layouts");
MESH_WAIT_OFFSETS constinit const std::array<WaitOffsets, WaitPlaces::kOffsets.size()>
    kWaitOffsets = WaitPlaces::kOffsets;

} // namespace mesh
