// send: messages from one node to another, or of every node to random ones.
#include "data.hpp"
#include "families.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "kernel/base/limits.hpp"
#include "ops/parameters.hpp"
#include "ops/traffic.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace mesh::host {

namespace {

constexpr std::int64_t kMessagesMax = 1'000'000;
/// The limits for all senders together: as much as the host can check in a minute.
constexpr std::uint64_t kAllMessagesMax = std::uint64_t{1} << 26;
constexpr std::uint64_t kAllBytesMax = std::uint64_t{1} << 34;

constexpr std::array<std::pair<std::string_view, Rule>, 6> kRoutes{
    {{"ecube", Rule::unicast},
     {"sbt", Rule::sbt},
     {"sbnt", Rule::sbnt_minr},
     {"sbnt-maxl", Rule::sbnt_maxl},
     {"sbnt-minbl", Rule::sbnt_minbl},
     {"sbnt-maxbr", Rule::sbnt_maxbr}}};

class Send final : public Operation {
public:
    Send(const OpKind& kind, RunPlan plan)
        : Operation(kind, std::move(plan)),
          route_(route_of(run().network(), run().work.route)),
          messages_(in_range(run().work.messages, 1, kMessagesMax, "--messages")) {
        plan_message(run(), run().data.input, limits::kMessageBytesMax);
        plan_packet(run(), {run().payload_bytes()});
        plan_target(run().work.target);
        if (!run().data.output.empty() && (!target_ || messages_ != 1))
            refuse(kCombination, "--output: --op send writes one message, to one --target");
        check_amount();
        incoming_.resize(run().nodes());
        for_each_message(
            [&](NodeId from, std::uint32_t k) { ++incoming_[index(target_of(from, k))]; });
        if (const std::uint32_t most = most_bytes(limits::kMessageBytesMax); run().bytes > most)
            refuse(kCombination, "--bytes {}: {} has room for at most {} of a file", run().bytes,
                   run().a_node(), most);
    }

    std::uint64_t expected_packets() const override {
        const std::uint64_t all = std::uint64_t{packets()} * messages_;
        if (target_)
            return all * distance(run().network(), run().root, *target_);
        return all * run().nodes() * std::max(1u, height(run().network(), Rule::unicast) / 2);
    }
    bool knows_packets() const override { return false; }
    bool contends() const override { return true; }
    std::optional<Formula> formula() const override {
        if (!target_ || messages_ != 1)
            return std::nullopt;
        return unicast_formula(run().ports, distance(run().network(), run().root, *target_),
                               packets());
    }
    void describe(Figures& head) const override {
        Operation::describe(head);
        head.push_back({"route", route_ == Rule::unicast ? kRoutes.front().first : name(route_)});
        head.push_back({"messages", messages_});
        if (target_)
            head.push_back({"target", index(*target_)});
    }

private:
    void plan_target(const std::string& target);
    void check_amount() const;
    bool sends(NodeId node) const { return !target_ || node == run().root; }
    NodeId target_of(NodeId from, std::uint32_t k) const {
        return target_ ? *target_ : traffic_target(run().nodes(), run().model.seed, from, k);
    }
    template <class Visit>
    void for_each_message(Visit visit) const;

    void fill(wire::Job& job, NodeId node) const override;
    NodeId source_of_output() const override { return *target_; }
    std::vector<Expectation> answers() const override;

    Rule route_;
    std::uint32_t messages_;
    std::optional<NodeId> target_;        // none: random
    std::vector<std::uint32_t> incoming_; // messages, by receiver
};

void Send::plan_target(const std::string& target) {
    if (target == "random") {
        if (run().nodes() < 2)
            refuse(kCombination, "--target random: needs two nodes");
        return;
    }
    std::uint32_t node = 0;
    const char* const end = target.data() + target.size();
    const auto [last, error] = std::from_chars(target.data(), end, node);
    if (error != std::errc{} || last != end || node >= run().nodes())
        refuse(error == std::errc{} && last == end ? kCombination : Refusal::value,
               "--target '{}': allowed: random, or a node from 0 to {}", target, run().nodes() - 1);
    target_ = node_at(node);
}

void Send::check_amount() const {
    const std::uint64_t messages = messages_ * std::uint64_t{target_ ? 1 : run().nodes()};
    const std::uint64_t bytes = messages * run().bytes;
    if (messages > kAllMessagesMax || bytes > kAllBytesMax)
        refuse(kCombination,
               "--messages {}: {} messages of {} bytes in all; allowed: {} messages and {} GiB",
               messages_, messages, run().bytes, kAllMessagesMax, kAllBytesMax >> 30);
}

/// visit(sender, number of its message)
template <class Visit>
void Send::for_each_message(Visit visit) const {
    for (std::uint32_t node = 0; node < run().nodes(); ++node)
        for (std::uint32_t k = 0; k < messages_ && sends(node_at(node)); ++k)
            visit(node_at(node), k);
}

void Send::fill(wire::Job& job, NodeId node) const {
    set_parameters(job, SendParameters{.target = target_ ? index(*target_) : kRandomTarget,
                                       .messages = sends(node) ? messages_ : 0,
                                       .expected = incoming_[index(node)],
                                       .route = route_});
}

/// The right reports: at each node the sum over its messages.
std::vector<Expectation> Send::answers() const {
    std::vector<Expectation> answers(run().nodes());
    const std::uint32_t common = run().input ? check_crc32(*run().input) : 0;
    for_each_message([&](NodeId from, std::uint32_t k) {
        Expectation& at = answers[index(target_of(from, k))];
        at.crc += run().input ? common : check_crc32(message_of(run(), from, k));
        at.bytes += run().bytes;
        ++at.messages;
    });
    return answers;
}

constexpr std::array kSendOps{OpKind{
    "send", "messages to one node, or of each to random ones", wire::Op::send, kCommonProgram,
    "--route --target --messages --bytes --packet --input --output", plan_as<Send>}};

} // namespace

std::span<const OpKind> send_ops() { return kSendOps; }
std::vector<std::string_view> route_names() { return names_of(kRoutes); }

Rule route_of(Network network, const std::string& route) {
    const Rule rule = look_up(kRoutes, route, "--route");
    if (height(network, rule) == 0)
        refuse(kCombination, "--route '{}': on a {} messages take shortest paths; allowed: ecube",
               route, name(network.topology));
    return rule;
}

} // namespace mesh::host
