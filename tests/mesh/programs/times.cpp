// Waits for a time.
#include "meshputer.hpp"
using namespace mesh;
Process app_main(Kernel& node) {
    co_await node.sleep(wire::kTicksPerUnit);
    co_return Status::ok;
}
