#include "hal/reset.hpp"

#include "boards/host/stop.hpp"
#include "hal/concepts.hpp"
#include "hal/console.hpp"

void mesh::reset_node() {
    console_flush();
    wire::CrashRecord record{};
    record.cause = board::kReset;
    halt(record);
}

void mesh::keep_may_begin_again() {}
