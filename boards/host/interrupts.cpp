// A simulated node has no interrupts: Kernel::on_interrupt() says so before it comes here.
#include "hal/interrupts.hpp"

namespace mesh::hal {

bool set_interrupt(unsigned /*interrupt*/, Handler /*handler*/, Urgency /*urgency*/) {
    return false;
}

void end_wait() {}

} // namespace mesh::hal
