// The ops that stand on ASCEND and DESCEND (ascend, descend, sort, fft): their data, cut into one
// part for each node (apps/parts.hpp), and what must come of it, by the host's own means.
#pragma once

#include "core/formulas.hpp"
#include "job.hpp"
#include "plan.hpp"
#include "run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

/// Program that does the op: a name of firmware/apps.
std::string_view program_of(wire::Op op);
/// The op that an app is the program of; Op::app for a program of its own.
wire::Op op_of_app(std::string_view app);

/// Reads or makes the data, and cuts it into parts. UsageError.
void plan_ascend(RunPlan& plan, const RunArguments& arguments);

/// Packets that an undisturbed run delivers, with the receivers' answers, if all values are of the
/// largest size.
std::uint64_t ascend_packets(const RunPlan& plan);

/// What each node must report. fft: of how many bytes only.
std::vector<Expectation> expect_ascend(const RunPlan& plan);

/// Steps of a run whose values are all of the same number of packets.
std::optional<Formula> ascend_formula_of(const RunPlan& plan);

/// What the nodes' results are together, as the user wants it.
Bytes ascend_output(const RunPlan& plan, const RunResult& result);

/// A line for a person: what was worked on.
std::string describe_data(const RunPlan& plan);

/// How a spectrum differs from the discrete Fourier transform in double precision.
struct SpectrumCheck {
    std::vector<bool> right;       // by node
    double error = 0;              // largest, as a part of the largest value
    double tolerance = 0;          // what it may be
    std::uint64_t frequencies = 0; // that were compared
};
/// fft: of `result`; nothing for other ops.
std::optional<SpectrumCheck> check_spectrum(const RunPlan& plan, const RunResult& result);

} // namespace mesh::host
