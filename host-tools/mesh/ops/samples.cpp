#include "samples.hpp"

#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/common/text_file.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

namespace mesh::host {

namespace {

using File = std::span<const std::byte>;

constexpr std::size_t kRiffHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;
constexpr std::size_t kFormatBytesMin = 16;
constexpr std::uint16_t kPcm = 1;
constexpr std::size_t kLineShown = 24;

bool is_wav(File file) {
    return file.size() >= kRiffHeaderBytes && text_of(file).starts_with("RIFF") &&
           text_of(file).substr(8, 4) == "WAVE";
}

/// The contents of the chunk with this name; empty if there is none. One that says it is longer
/// than the file ends with it.
File chunk(File file, std::string_view name) {
    std::size_t at = kRiffHeaderBytes;
    while (file.size() - at >= kChunkHeaderBytes) {
        const std::size_t size = wire::load<std::uint32_t>(file, at + 4);
        const File contents = file.subspan(at + kChunkHeaderBytes);
        const std::size_t there = std::min(size, contents.size());
        if (text_of(file).substr(at, 4) == name)
            return contents.first(there);
        at += kChunkHeaderBytes + std::min(there + there % 2, contents.size());
    }
    return {};
}

std::vector<float> read_wav(File file, const std::string& path) {
    const File format = chunk(file, "fmt ");
    const File data = chunk(file, "data");
    const bool known = format.size() >= kFormatBytesMin &&
                       wire::load<std::uint16_t>(format, 0) == kPcm &&
                       wire::load<std::uint16_t>(format, 14) == 16;
    const std::size_t channels = known ? wire::load<std::uint16_t>(format, 2) : 0;
    if (channels == 0)
        refuse("--input '{}': a WAV file of a kind that is not known; allowed: 16-bit PCM", path);
    std::vector<float> samples;
    for (std::size_t at = 0; data.size() - at >= 2 * channels; at += 2 * channels)
        samples.push_back(static_cast<float>(wire::load<std::int16_t>(data, at)) / 32768.0f);
    return samples;
}

std::vector<float> read_column(File file, const std::string& path) {
    std::vector<float> samples;
    const std::string text = plain_text(text_of(file));
    std::size_t number = 0;
    for (const std::string_view line : lines_in(text)) {
        ++number;
        float sample = 0;
        const char* const end = line.data() + line.size();
        const auto [last, error] = std::from_chars(line.data(), end, sample);
        if (error != std::errc{} || last != end || !std::isfinite(sample))
            refuse("--input '{}' line {}: '{}': allowed: one number a line, "
                   "or a WAV file with 16-bit PCM",
                   path, number, shown(line));
        samples.push_back(sample);
    }
    return samples;
}

} // namespace

std::string shown(std::string_view line) { return cleaned(line.substr(0, kLineShown)); }

std::vector<float> read_samples(File file, const std::string& path) {
    std::vector<float> samples = is_wav(file) ? read_wav(file, path) : read_column(file, path);
    if (samples.empty())
        refuse("--input '{}': no samples: at least one is needed", path);
    return samples;
}

DirectTransform::DirectTransform(std::span<const std::complex<float>> points) : points_(points) {
    roots_.reserve(points.size());
    const double angle = -2 * std::numbers::pi / static_cast<double>(points.size());
    for (std::size_t power = 0; power < points.size(); ++power)
        roots_.push_back(std::polar(1.0, angle * static_cast<double>(power)));
}

std::complex<double> DirectTransform::at(std::uint64_t frequency) const {
    double re = 0;
    double im = 0;
    std::size_t power = 0;
    for (const std::complex<float> point : points_) {
        const std::complex<double> root = roots_[power];
        const double point_re{point.real()};
        const double point_im{point.imag()};
        re += point_re * root.real() - point_im * root.imag();
        im += point_re * root.imag() + point_im * root.real();
        power += frequency;
        power -= power >= roots_.size() ? roots_.size() : 0;
    }
    return {re, im};
}

double DirectTransform::energy() const {
    double sum = 0;
    for (const std::complex<float> point : points_)
        sum += double{point.real()} * point.real() + double{point.imag()} * point.imag();
    return sum;
}

} // namespace mesh::host
