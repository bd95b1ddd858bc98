// The notes of a simulation about its programs (hal/notes.hpp): the calls of collectives, which all
// nodes must make alike, and the types of values on their way.
#pragma once

#include "calls_apart.hpp"
#include "host-tools/mesh/rig/rig_plan.hpp"
#include "joint_calls.hpp"
#include "window_races.hpp"

#include "core/base/types.hpp"
#include "hal/notes.hpp"
#include "kernel/packets/mailbox.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mesh::host {

class ProgramNotes final : public detail::Notes, public detail::RankNotes {
public:
    /// Notes for as long as it lives, if the run has programs of a user's; not those of ops.
    explicit ProgramNotes(const RigPlan& plan);
    ProgramNotes(const ProgramNotes&) = delete;
    ProgramNotes& operator=(const ProgramNotes&) = delete;
    ~ProgramNotes();

    void begins(std::uint32_t node, std::uint32_t tag, unsigned number,
                const detail::CallNote& note, const void* place) override;
    void sends(std::uint32_t node, std::uint32_t to, std::uint32_t message,
               const detail::TypeNote& type) override;
    const detail::TypeNote* takes(std::uint32_t source, std::uint32_t node,
                                  std::uint32_t message) override;
    void waits_in_vain(std::uint32_t node, std::uint32_t source, std::uint32_t tag) override;
    void gives_up(std::uint32_t node, unsigned messages) override { given_up_[node] += messages; }
    bool is_strict() const override { return is_strict_; }
    void enters(std::uint32_t node, const char* name, const void* place) override;
    const char* joins(std::uint32_t node, const detail::JointCall& call) override;
    void accesses(std::uint32_t node, const detail::WindowAccess& access,
                  std::span<char> words) override;
    void orders_accesses(std::uint32_t node, std::uint32_t window, NodeId target) override {
        window_races_.order(node, window, target);
    }
    void name_place(std::uint32_t node, const void* place, std::span<char> words) override;

    /// `place_of` names places (SourceLines::place_of()), for as long as programs run.
    void name_places_by(PlaceOf place_of) { place_of_ = std::move(place_of); }

    /// A node begins a new life, and counts its calls anew: from now on no calls are noted.
    void note_no_calls() {
        calls_.clear();
        joint_calls_ = {};
        notes_calls_ = false;
    }
    /// The calls that some nodes have not begun, or have begun as other ones, in the order in which
    /// the first node came to each.
    std::vector<CallsApart> calls_apart() const;
    /// The first message that the node waited for in vain; "" if there was none.
    std::string waited_in_vain(NodeId node) const;
    /// How many messages the node's program gave up with an outbox.
    unsigned given_up(NodeId node) const;
    /// The last call of MPI that the node has made.
    LastCall last_call(NodeId node) const;

private:
    /// "in main, FILE:LINE"; "" if it is not known.
    std::string words_of(std::uint32_t node, const void* place) const;

    /// Calls of one tag that are kept: more than nodes are ever apart (Calls::kAhead).
    static constexpr unsigned kKept = 64;

    struct Call {
        std::uint64_t order; // of the first node that began it
        CallsApart sides;
    };
    /// A call of MPI.
    struct Entered {
        const char* name;
        const void* place;
    };
    using CallKey = std::pair<std::uint32_t, unsigned>; // tag and number
    using MessageKey = std::array<std::uint32_t, 3>;    // source, receiver, name

    std::uint32_t nodes_;
    bool is_strict_;
    bool notes_calls_ = true;
    std::uint64_t begun_ = 0;
    std::map<CallKey, Call> calls_; // that not all nodes have begun alike
    std::map<MessageKey, const detail::TypeNote*> types_;
    std::map<std::uint32_t, Match> vain_;
    std::map<std::uint32_t, unsigned> given_up_;
    std::vector<Entered> entered_; // by each node, last
    PlaceOf place_of_;
    JointCalls joint_calls_;
    WindowRaces window_races_;
};

} // namespace mesh::host
