// The part of boards/host/stop.cpp that programs of ops can come to: a CHECK or halt() of the
// kernel.
#include "boards/host/stop.hpp"

#include "boards/host/check_words.hpp"
#include "hal/concepts.hpp"

#include <cstdio>
#include <cstdlib>

namespace mesh {

namespace board {
namespace {
Stop stop_node = nullptr;
void* stop_context = nullptr;
} // namespace

void set_stop(Stop stop, void* context) {
    stop_node = stop;
    stop_context = context;
}
void stop_at_next_call() {}
const void* last_call_of_program() { return nullptr; }
void stop_if_asked() {}
void add_code(unsigned /*number*/, std::uintptr_t /*base*/, std::uintptr_t /*begin*/,
              std::uintptr_t /*library*/, std::uintptr_t /*end*/) {}
bool in_loaded_code(std::uintptr_t /*address*/) { return false; }
std::uint32_t code_offset(std::uintptr_t address) { return static_cast<std::uint32_t>(address); }
} // namespace board

void check_failed(CheckId id) { check_failed(id, nullptr); }
void check_failed(CheckId id, const void* /*after*/) {
    wire::CrashRecord record{};
    record.cause = id.number;
    halt(record);
}

void halt(const wire::CrashRecord& record) {
    if (board::stop_node != nullptr)
        board::stop_node(board::stop_context, record);
    std::fprintf(stderr, "meshputer: CHECK %u failed: %s\n", static_cast<unsigned>(record.cause),
                 words_of(CheckId{record.cause}).data());
    std::abort();
}

} // namespace mesh
