// Everything that an application needs: `#include "meshputer.hpp"`.
//
// An application is one file with one function:
//
//   mesh::Process app_main(mesh::Kernel& node) { ... co_return mesh::Status::ok; }
//
// It runs on every node; its verdict becomes the exit status of the run.
#pragma once

#include "collectives/ascend.hpp"
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/copies.hpp"
#include "collectives/host_files.hpp"
#include "collectives/multicast.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "collectives/sort.hpp"
#include "collectives/virtual_topology.hpp"
#include "hal/cycles.hpp"
#include "hal/reset.hpp"
#include "kernel/api/alt.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/api/link_events.hpp"
#include "kernel/api/message.hpp"
#include "kernel/api/within.hpp"
#include "kernel/node/kernel.hpp"
#include "library/agree.hpp"
#include "library/begin_again.hpp"
#include "library/blocks.hpp"
#include "library/counts.hpp"
#include "library/former_order.hpp"
#include "library/group.hpp"
#include "library/guards.hpp"
#include "library/log.hpp"
#include "library/messages.hpp"
#include "library/outbox.hpp"
#include "library/parallel.hpp"
#include "library/print.hpp"
#include "library/requests.hpp"
#include "library/ticker.hpp"
#include "library/turns.hpp"
#include "library/values.hpp"
#include "library/window.hpp"
#include "library/words.hpp"

/// The program: runs once on every node. A definition with another type does not compile.
mesh::Process app_main(mesh::Kernel& node);
