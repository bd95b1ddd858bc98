// How a message was received must be looked at: it may be cut off, or not have come at all.
// CLANG
// EXPECT: ignoring return value of 'const mesh::Received& mesh::Receiving::await_resume() const'
// EXPECT: [with T = mesh::Received]' declared with attribute 'warn_unused_result'
#include "library/values.hpp"

#pragma GCC diagnostic error "-Wunused-result"

mesh::Process program(mesh::Kernel& kernel) {
    int number = 0;
#ifdef MESH_COMPILES
    mesh::Received got = co_await mesh::receive(kernel, {});
    got = co_await mesh::receive_value(kernel, number);
    co_return got.status;
#else
    co_await mesh::receive(kernel, {});
    co_await mesh::receive_value(kernel, number);
    co_return mesh::Status::ok;
#endif
}
