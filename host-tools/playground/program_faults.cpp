// A page has no signals and no timer that interrupts: a node ends by CHECKs and halt() alone. The
// programs are those of ops, which have no endless loops.
#include "host-tools/mesh/engines/program_faults.hpp"

#include "boards/host/stop.hpp"

namespace mesh::host {

ProgramFaults::ProgramFaults(Seconds timeout, Seconds limit) : timeout_(timeout), limit_(limit) {}
ProgramFaults::~ProgramFaults() = default;

bool ProgramFaults::run(void (*work)(void*), void* with) {
    if (sigsetjmp(entry_, 0) != 0) {
        leave();
        return false;
    }
    enter();
    try {
        work(with);
    } catch (...) {
        leave();
        throw;
    }
    leave();
    return true;
}

void ProgramFaults::enter() { board::set_stop(&ProgramFaults::stop, this); }
void ProgramFaults::leave() { board::set_stop(nullptr, nullptr); }

void ProgramFaults::stop(void* self, const wire::CrashRecord& record) {
    auto& faults = *static_cast<ProgramFaults*>(self);
    faults.record_ = record;
    siglongjmp(faults.entry_, 1);
}

} // namespace mesh::host
