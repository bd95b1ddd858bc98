// Sizes of claims that take minutes under sanitizers.
//
// A file of tests that includes this is built twice: with sanitizers, where `exhaustive` takes the
// smaller of its two values, and optimised without them, where it takes the larger one.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MESH_SANITIZED true
#endif
#endif
#ifndef MESH_SANITIZED
#define MESH_SANITIZED false
#endif

namespace mesh::test {

/// `whole` in the build without sanitizers, `small` with them.
template <class T>
constexpr T exhaustive(T small, T whole) {
    return MESH_SANITIZED ? small : whole;
}

} // namespace mesh::test
