#include "program_notes.hpp"

#include "node_waits.hpp"

#include "boards/host/notes.hpp"
#include "boards/host/stop.hpp"
#include "mpi/engine/awaited.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

namespace {

std::uint32_t pc_of(const void* place) {
    return board::code_offset(reinterpret_cast<std::uintptr_t>(place)) - 1;
}

/// As much as there is room for, with an end.
void put_words(const std::string& text, std::span<char> words) {
    words[text.copy(words.data(), words.size() - 1)] = '\0';
}

} // namespace

ProgramNotes::ProgramNotes(const RigPlan& plan)
    : nodes_(node_count(plan.network)),
      is_strict_(plan.strict),
      entered_(nodes_, Entered{"", nullptr}) {
    const auto is_loaded = [](const RigProgram& program) { return !program.image.empty(); };
    if (std::ranges::any_of(plan.programs, is_loaded))
        board::set_notes(this, this);
}

ProgramNotes::~ProgramNotes() { board::set_notes(nullptr, nullptr); }

void ProgramNotes::begins(std::uint32_t node, std::uint32_t tag, unsigned number,
                          const detail::CallNote& note, const void* place) {
    // Those of MPI are compared by joins().
    if (!notes_calls_ || note.name.empty() || tag == mpi::kTreeTag)
        return;
    calls_.erase({tag, number - kKept});
    const auto [found, first] = calls_.try_emplace({tag, number});
    Call& call = found->second;
    if (first)
        call.order = ++begun_;
    auto& sides = call.sides.sides;
    auto side = std::ranges::find_if(sides, [&](const auto& one) { return one.is_like(note); });
    if (side == sides.end()) {
        side = sides.insert(sides.end(), {{}, note, pc_of(place)});
    }
    side->nodes.push_back(node);
    if (++call.sides.begun == nodes_ && sides.size() == 1)
        calls_.erase(found);
}

void ProgramNotes::sends(std::uint32_t node, std::uint32_t to, std::uint32_t message,
                         const detail::TypeNote& type) {
    types_[{node, to, message}] = &type;
}

const detail::TypeNote* ProgramNotes::takes(std::uint32_t source, std::uint32_t node,
                                            std::uint32_t message) {
    const auto found = types_.find({source, node, message});
    if (found == types_.end())
        return nullptr;
    const detail::TypeNote* const type = found->second;
    types_.erase(found);
    return type;
}

void ProgramNotes::waits_in_vain(std::uint32_t node, std::uint32_t source, std::uint32_t tag) {
    const Match match{
        .service = Service::message, .tag = static_cast<Tag>(tag), .source = node_at(source)};
    vain_.emplace(node, match);
}

void ProgramNotes::enters(std::uint32_t node, const char* name, const void* place) {
    entered_[node] = {name, place};
}

const char* ProgramNotes::joins(std::uint32_t node, const detail::JointCall& call) {
    return notes_calls_ ? joint_calls_.add(node, call, pc_of(entered_[node].place)) : nullptr;
}

std::string ProgramNotes::words_of(std::uint32_t node, const void* place) const {
    return place_of_ != nullptr && place != nullptr ? place_of_(node, pc_of(place)) : std::string();
}

void ProgramNotes::name_place(std::uint32_t node, const void* place, std::span<char> words) {
    put_words(words_of(node, place), words);
}

// A rank is a node.
void ProgramNotes::accesses(std::uint32_t node, const detail::WindowAccess& access,
                            std::span<char> words) {
    const auto other = window_races_.add(node, access);
    put_words(other ? fmt::format("{} of rank {} ({})", other->what.name, other->node,
                                  words_of(other->node, other->what.place))
                    : std::string(),
              words);
}

LastCall ProgramNotes::last_call(NodeId node) const {
    const Entered& last = entered_[index(node)];
    return last.place == nullptr ? LastCall{} : LastCall{last.name, pc_of(last.place)};
}

unsigned ProgramNotes::given_up(NodeId node) const {
    const auto found = given_up_.find(index(node));
    return found == given_up_.end() ? 0 : found->second;
}

std::string ProgramNotes::waited_in_vain(NodeId node) const {
    const auto found = vain_.find(index(node));
    return found == vain_.end() ? "" : describe(found->second);
}

std::vector<CallsApart> ProgramNotes::calls_apart() const {
    std::vector<const Call*> calls;
    for (const auto& [key, call] : calls_)
        calls.push_back(&call);
    std::ranges::sort(calls, {}, &Call::order);
    std::vector<CallsApart> found = joint_calls_.apart();
    for (const Call* const call : calls)
        found.push_back(call->sides);
    return found;
}

} // namespace mesh::host
