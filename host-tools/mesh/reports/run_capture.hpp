// The capture of one run: opened before anything boots, closed with the results.
#pragma once

#include "host-tools/mesh/capture/capture.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/ops/operation.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace mesh::host {

class RunCapture {
public:
    /// Opens what --capture asks for, or a nameless file if only a page is wanted; without either,
    /// nothing is listened to. RunError.
    explicit RunCapture(const Operation& op);

    /// Something is captured.
    explicit operator bool() const { return capture_.has_value(); }
    /// From now on the capture listens to the loom and its cables.
    void listen(Loom& loom);
    /// The results as JSON are the end of it; then the page is made, if --report asks for one.
    /// Something is captured (promise). RunError if not all could be written.
    void finish(std::string_view results);

private:
    std::string page_; // file of the page
    Fd file_;
    std::optional<Capture> capture_;
};

} // namespace mesh::host
