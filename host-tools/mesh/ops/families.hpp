// The families of ops; each file of this folder that has one defines its table.
#pragma once

#include "operation.hpp"

#include <span>

namespace mesh::host {

std::span<const OpKind> broadcast_ops();
std::span<const OpKind> personal_ops();
std::span<const OpKind> reduction_ops();
std::span<const OpKind> send_ops();
/// The values of --route, and the rule of one. UsageError.
std::vector<std::string_view> route_names();
Rule route_of(Network network, const std::string& route);
std::span<const OpKind> barrier_ops();
std::span<const OpKind> ascend_ops();
/// Not asked for by --op but by --app: any program.
const OpKind& app_op();

} // namespace mesh::host
