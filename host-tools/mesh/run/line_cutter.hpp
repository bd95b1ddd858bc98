// Text that comes in parts, cut into lines that may be shown.
#pragma once

#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/common/clean_text.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace mesh::host {

class LineCutter {
public:
    /// `raw`: lines go on as they are, control characters and all.
    explicit LineCutter(bool raw = false) : raw_(raw) {}

    /// Calls sink(line) for each line that is whole now, without its end. A line that grows too
    /// long is given in parts, so that not more than bounds::kLineBytesMax are kept.
    template <class Sink>
    void feed(std::string_view text, Sink&& sink) {
        for (const char character : text) {
            if (character != '\n')
                line_.push_back(character);
            if (character == '\n' || line_.size() == bounds::kLineBytesMax)
                give(sink);
        }
    }

    /// Gives the line that has begun, if there is one.
    template <class Sink>
    void flush(Sink&& sink) {
        if (!line_.empty())
            give(sink);
    }

private:
    template <class Sink>
    void give(Sink& sink) {
        const std::string line = std::exchange(line_, {});
        sink(raw_ ? line : cleaned(line));
    }

    bool raw_;
    std::string line_;
};

} // namespace mesh::host
