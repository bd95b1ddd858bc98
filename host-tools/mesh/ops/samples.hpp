// Samples for a Fourier transform, and its definition.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The beginning of a line of a file, fit for a message.
std::string shown(std::string_view line);

/// The numbers of a text, one a line; or of a WAV file with 16-bit PCM the first channel, -1 to
/// below 1. UsageError, which names `path`.
std::vector<float> read_samples(std::span<const std::byte> file, const std::string& path);

/// The discrete Fourier transform by its definition, one frequency at a time.
class DirectTransform {
public:
    explicit DirectTransform(std::span<const std::complex<float>> points);
    std::complex<double> at(std::uint64_t frequency) const;
    /// Sum of the squared absolute values of the points.
    double energy() const;

private:
    std::span<const std::complex<float>> points_;
    std::vector<std::complex<double>> roots_;
};

} // namespace mesh::host
