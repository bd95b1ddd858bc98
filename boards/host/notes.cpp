#include "boards/host/notes.hpp"

#include "boards/host/stop.hpp"
#include "hal/console.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace mesh {

namespace {

thread_local detail::Notes* present = nullptr;
thread_local detail::RankNotes* rank_present = nullptr;

/// More than a program that goes on takes between two waits.
constexpr unsigned kGlancesMax = 10'000;
std::array<unsigned, 2> glances_taken{}; // since the last wait, of each Glance
const void* place_of_glances = nullptr;
const void* place_told = nullptr;

} // namespace

void board::set_notes(detail::Notes* notes, detail::RankNotes* rank_notes) {
    present = notes;
    rank_present = rank_notes;
}

detail::Notes* detail::notes() { return present; }

detail::RankNotes* detail::rank_notes() { return rank_present; }

void detail::note_place(const Kernel& /*node*/, const void* place) { place_told = place; }

const void* detail::place_in_program() {
    if (place_told != nullptr)
        return std::exchange(place_told, nullptr);
    const void* const place = board::last_call_of_program();
    return board::in_loaded_code(reinterpret_cast<std::uintptr_t>(place)) ? place : nullptr;
}

void detail::check_type(const detail::TypeNote* came, const detail::TypeNote& wanted, CheckId id,
                        const void* place) {
    if (came == nullptr || came->word == 0 || wanted.word == 0 || came->word == wanted.word)
        return;
    for (const std::string_view part :
         {std::string_view("a value of type "), came->name,
          std::string_view(" is taken as one of type "), wanted.name, std::string_view("\n")})
        console_write(part);
    check_failed(id, place);
}

void detail::note_glance(Glance what, const void* place) {
    ++glances_taken[static_cast<std::size_t>(what)];
    place_of_glances = place;
    board::stop_if_asked();
}

void detail::note_wait() { glances_taken = {}; }

board::Endless board::why_endless(const void* place) {
    if (glances_taken[static_cast<std::size_t>(detail::Glance::alt)] > kGlancesMax)
        return {Misuse::alt_takes_nothing, place_of_glances};
    if (glances_taken[static_cast<std::size_t>(detail::Glance::probe)] > kGlancesMax)
        return {Misuse::probes_without_wait, place_of_glances};
    return {ProgramEnd::program_endless, place};
}

} // namespace mesh
