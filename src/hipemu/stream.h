// Streams: queues of commands, each served by a thread of its own, and the order that they give to
// operations. What is ordered before what is known when a command is put into a queue, not when it
// runs; the vector clocks of emu::Operation are computed there.
#pragma once

#include "hipemu/action.h"

#include <chrono>
#include <deque>

namespace tl::hipemu {

struct Capture;

/// clock[s]: the number of the last operation of stream s that is known to be finished. Entries
/// beyond the end are 0.
using Clock = std::vector<uint64_t>;
void joinClock(Clock &into, const Clock &other);

/// One entry of a queue. Under the runtime's lock, but for what `action` points to.
struct Command {
  std::shared_ptr<const Action> action; // null: only a point in the stream's order
  std::vector<std::shared_ptr<Command>> waits;
  emu::Operation operation;
  Clock clock; // what is finished once this is done, itself included
  bool done = false;
  std::chrono::steady_clock::time_point finished;
};
using CommandPtr = std::shared_ptr<Command>;

enum class StreamKind : uint8_t {
  Legacy,    // the NULL stream of a device
  PerThread, // hipStreamPerThread
  User,
  Graph, // a parallel branch of an instantiated graph
};

struct Stream {
  StreamKind kind = StreamKind::User;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  uint32_t number = 0; // of emu::Operation; unique in the process
  uint64_t sequence = 0;
  Clock clock; // after the last command
  CommandPtr last;
  std::deque<CommandPtr> queue;
  std::condition_variable wake;
  bool started = false; // its thread
  bool closing = false; // the thread ends when the queue is empty

  std::shared_ptr<Capture> capture; // while it records a graph
  std::vector<GraphNode *> captureTail;

  /// Ordered with the legacy stream of its device.
  bool blocking() const {
    return kind == StreamKind::PerThread ||
           (kind == StreamKind::User && !(flags & hipStreamNonBlocking));
  }
};
using StreamPtr = std::shared_ptr<Stream>;

struct Event {
  unsigned flags = 0;
  int device = 0;
  CommandPtr marker;                // of the last record; null: none yet
  std::shared_ptr<Capture> capture; // recorded in a capturing stream
  std::vector<GraphNode *> captureNodes;
};

} // namespace tl::hipemu
