// What a sender makes of what is said of its message.
#include "kernel/packets/messages.hpp"

#include <gtest/gtest.h>

namespace mesh::test {
namespace messages_test {

/// A message under way to node 1.
struct Bench {
    Bench() { messages.number(outgoing); }
    void hear(Service service, std::uint8_t round = 0) {
        messages.hear({.service = service,
                       .rule = Rule::unicast,
                       .way = outgoing.way,
                       .round = round,
                       .peer = outgoing.to,
                       .message = outgoing.message,
                       .position = 0,
                       .detail = 0});
    }
    Counters counters;
    Holds holds;
    Messages messages{counters, holds, 0};
    Outgoing outgoing{messages, node_at(1), Rule::unicast};
};

constexpr std::uint8_t kPath = 2;

TEST(Messages, ALateCopyOfTheWordThatSentAnOfferBackSaysNothingOfTheNextOffer) {
    Bench bench;
    bench.outgoing.way = kPath; // by which the offer went that was sent back by all paths
    bench.hear(Service::later);
    EXPECT_TRUE(bench.outgoing.later);
    bench.hear(Service::taken);
    bench.hear(Service::later);
    EXPECT_FALSE(bench.outgoing.unknown);
}

TEST(Messages, AReceiverThatForgotWhatItTookSaysSoInItsAnswer) {
    Bench by_all_paths;
    by_all_paths.outgoing.way = kPath;
    by_all_paths.outgoing.begin_round();
    by_all_paths.hear(Service::taken);
    by_all_paths.hear(Service::later, by_all_paths.outgoing.round);
    EXPECT_TRUE(by_all_paths.outgoing.unknown);
    Bench by_the_chosen_way;
    by_the_chosen_way.hear(Service::taken);
    by_the_chosen_way.hear(Service::later);
    EXPECT_TRUE(by_the_chosen_way.outgoing.unknown);
}

} // namespace messages_test
} // namespace mesh::test
