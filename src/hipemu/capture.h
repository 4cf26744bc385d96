// Stream capture: which calls it forbids, and what becomes a node of the graph.
#pragma once

#include "hipemu/graph.h"

#include <thread>

namespace tl::hipemu {

class Runtime;

/// One capture sequence, from hipStreamBeginCapture to hipStreamEndCapture.
struct Capture {
  uint64_t id = 0;
  int mode = hipStreamCaptureModeGlobal;
  Stream *origin = nullptr;
  std::thread::id thread; // that began it
  std::unique_ptr<Graph> graph;
  bool invalid = false;
  bool ended = false;
  std::vector<Stream *> streams; // all that record into it
  int status() const {
    return invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
  }
};

/// For calls that a capture may forbid, by the thread's mode (hipThreadExchangeStreamCaptureMode):
/// hipErrorStreamCaptureUnsupported, and the captures that forbid it become invalid.
int captureRefusesUnsafe(Runtime &runtime);
/// For synchronous copies and fills, which use the legacy stream: hipErrorStreamCaptureImplicit
/// while anything captures, which then becomes invalid.
int captureRefusesSynchronous(Runtime &runtime);
/// For hipDeviceSynchronize: hipErrorStreamCaptureUnsupported likewise.
int captureRefusesAll(Runtime &runtime);
/// For work put into a stream: hipErrorStreamCaptureInvalidated when its capture has failed,
/// hipErrorStreamCaptureImplicit for the legacy stream while a blocking stream captures.
int captureRefuses(Runtime &runtime, Stream &stream);
/// For waiting for a stream or asking about it.
int captureRefusesWait(Runtime &runtime, Stream &stream);
/// Appends a node to the graph that a stream records.
GraphNode *captureAction(Runtime &runtime, Stream &stream, std::shared_ptr<const Action> action);
/// hipStreamWaitEvent where the stream or the event belongs to a capture; `handled` says so.
int captureWait(Runtime &runtime, Stream &stream, Event &event, bool &handled);
/// Takes a stream that is destroyed out of its capture.
void captureForget(Runtime &runtime, Stream &stream);

} // namespace tl::hipemu
