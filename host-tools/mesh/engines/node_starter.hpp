// Starts the emulators of a rig: where it can, by a template, an emulator that makes its machine
// once and forks for each node of the same command line (host-tools/template/); else each by
// itself.
//
// A template that is not ready in time, refuses or fails ends forking for this rig: it and all
// later nodes are started each by itself, and the nodes that were forked live on.
#pragma once

#include "engine.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/rig/rig_plan.hpp"
#include "host-tools/template/protocol.hpp"
#include "wire/identity.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The command line of one node's QEMU, the program's path first; `starts`: how often the node was
/// started before.
std::vector<std::string> qemu_words(const RigPlan& plan, NodeId node, unsigned starts = 0);
/// The same with another address in place of the node's.
std::vector<std::string> qemu_words(const RigPlan& plan, NodeId node, const wire::Mac& mac);

/// A template, with the emulator's process.
class EmulatorTemplate {
public:
    /// Starts it and waits until it is ready. `words` have kTemplateAddress, if the command line
    /// has an address; `files` are how many an emulator is given beside its first three. RunError:
    /// why it cannot be a template, in words for --log; Interrupted.
    EmulatorTemplate(const RigPlan& plan, std::vector<std::string> words, std::size_t files,
                     const Signals& signals);

    /// An emulator with these files, which waits for "cont" by its monitor. RunError, Interrupted.
    ChildProcess fork(const wire::Mac& mac, const SpawnFiles& files);

private:
    using Clock = std::chrono::steady_clock;
    fork_protocol::Answer next_answer(std::string_view awaited, std::chrono::seconds timeout);
    void ask(const fork_protocol::Request& request, const SpawnFiles& files);

    const Signals& signals_;
    std::vector<Fd> cables_; // our ends of the template's own, which must stay open
    Fd control_;
    ChildProcess process_;
};

class NodeStarter {
public:
    /// Both must outlive it.
    NodeStarter(const RigPlan& plan, const Signals& signals);

    /// The emulator of a node, with its sockets, its monitor and what else its command line names.
    /// `monitor` is this process's end. RunError, Interrupted.
    ChildProcess start(NodeId node, unsigned starts, const SpawnFiles& files, const Fd& monitor);

    /// For the report.
    StartedBy started_by() const { return {forks_, why_not_}; }

private:
    using Words = std::vector<std::string>;
    std::optional<Words> words_to_fork(NodeId node) const;
    ChildProcess forked(const Words& words, NodeId node, unsigned starts, const SpawnFiles& files,
                        const Fd& monitor);

    const RigPlan& plan_;
    const Signals& signals_;
    bool forks_;
    std::string why_not_;
    std::map<Words, std::unique_ptr<EmulatorTemplate>> templates_;
};

} // namespace mesh::host
