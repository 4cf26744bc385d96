#include "hipemu/capture.h"

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

#include <algorithm>

namespace tl::hipemu {

// Makes all captures invalid for which the predicate holds; whether there was one.
template <class Predicate> static bool invalidate(Runtime &runtime, Predicate predicate) {
  bool found = false;
  for (const auto &capture : runtime.captures)
    if (predicate(*capture)) {
      capture->invalid = true;
      found = true;
    }
  return found;
}

int captureRefusesUnsafe(Runtime &runtime) {
  int mode = Thread::current().captureMode;
  if (mode == hipStreamCaptureModeRelaxed)
    return hipSuccess;
  auto forbids = [&](const Capture &capture) {
    bool mine = capture.thread == std::this_thread::get_id();
    return (mine && capture.mode != hipStreamCaptureModeRelaxed) ||
           (mode == hipStreamCaptureModeGlobal && capture.mode == hipStreamCaptureModeGlobal);
  };
  return invalidate(runtime, forbids) ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

int captureRefusesSynchronous(Runtime &runtime) {
  return invalidate(runtime, [](const Capture &) { return true; }) ? hipErrorStreamCaptureImplicit
                                                                   : hipSuccess;
}

int captureRefusesAll(Runtime &runtime) {
  return invalidate(runtime, [](const Capture &) { return true; })
             ? hipErrorStreamCaptureUnsupported
             : hipSuccess;
}

int captureRefuses(Runtime &runtime, Stream &stream) {
  if (stream.capture)
    return stream.capture->invalid ? hipErrorStreamCaptureInvalidated : hipSuccess;
  if (stream.kind != StreamKind::Legacy)
    return hipSuccess;
  auto blocks = [&](const Capture &capture) {
    return std::any_of(capture.streams.begin(), capture.streams.end(), [&](const Stream *other) {
      return other->device == stream.device && other->blocking();
    });
  };
  return invalidate(runtime, blocks) ? hipErrorStreamCaptureImplicit : hipSuccess;
}

int captureRefusesWait(Runtime &runtime, Stream &stream) {
  if (stream.capture) {
    stream.capture->invalid = true;
    return hipErrorStreamCaptureUnsupported;
  }
  if (int code = captureRefuses(runtime, stream))
    return code;
  return captureRefusesUnsafe(runtime);
}

GraphNode *captureAction(Runtime &runtime, Stream &stream, std::shared_ptr<const Action> action) {
  GraphNode *node = addNode(runtime, *stream.capture->graph, std::move(action), stream.captureTail);
  stream.captureTail = {node};
  return node;
}

int captureWait(Runtime &runtime, Stream &stream, Event &event, bool &handled) {
  if (int code = captureRefuses(runtime, stream))
    return code;
  if (!event.capture) {
    if (!stream.capture)
      return hipSuccess;
    stream.capture->invalid = true;
    return hipErrorStreamCaptureIsolation;
  }
  handled = true;
  if (event.capture->ended)
    return hipErrorCapturedEvent;
  if (event.capture->invalid)
    return hipErrorStreamCaptureInvalidated;
  if (stream.kind == StreamKind::Legacy) {
    event.capture->invalid = true;
    return hipErrorStreamCaptureImplicit;
  }
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->invalid = event.capture->invalid = true;
    return hipErrorStreamCaptureMerge;
  }
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.captureTail.clear();
    stream.capture->streams.push_back(&stream);
  }
  for (GraphNode *node : event.captureNodes)
    if (std::find(stream.captureTail.begin(), stream.captureTail.end(), node) ==
        stream.captureTail.end())
      stream.captureTail.push_back(node);
  return hipSuccess;
}

static void endCapture(Runtime &runtime, const std::shared_ptr<Capture> &capture) {
  capture->ended = true;
  for (Stream *stream : capture->streams) {
    stream->capture.reset();
    stream->captureTail.clear();
  }
  capture->streams.clear();
  std::erase(runtime.captures, capture);
}

void captureForget(Runtime &runtime, Stream &stream) {
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture)
    return;
  capture->invalid = true;
  if (capture->origin == &stream) { // nobody can end it any more
    endCapture(runtime, capture);
    forgetGraph(runtime, *capture->graph);
    return;
  }
  std::erase(capture->streams, &stream);
  stream.capture.reset();
  stream.captureTail.clear();
}

// All that was recorded comes before the end of the stream in which the capture began.
static bool joined(const Capture &capture) {
  auto covered = [&](const GraphNode &node) {
    return std::any_of(capture.origin->captureTail.begin(), capture.origin->captureTail.end(),
                       [&](const GraphNode *last) { return dependsOn(*last, node); });
  };
  return std::all_of(capture.graph->nodes.begin(), capture.graph->nodes.end(),
                     [&](const std::unique_ptr<GraphNode> &node) { return covered(*node); });
}

namespace calls {

int hipStreamBeginCapture(hipStream_t handle, int mode) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (stream->kind == StreamKind::Legacy)
    return hipErrorStreamCaptureUnsupported;
  if (stream->capture)
    return hipErrorIllegalState;
  static uint64_t nextId = 0;
  auto capture = std::make_shared<Capture>();
  capture->id = ++nextId;
  capture->mode = mode;
  capture->origin = stream.get();
  capture->thread = std::this_thread::get_id();
  capture->graph = std::make_unique<Graph>();
  capture->streams.push_back(stream.get());
  stream->capture = capture;
  stream->captureTail.clear();
  runtime.captures.push_back(capture);
  return hipSuccess;
}

int hipStreamEndCapture(hipStream_t handle, hipGraph_t *graph) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (!graph)
    return hipErrorInvalidValue;
  *graph = nullptr;
  if (int code = runtime.findStream(handle, stream))
    return code;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return hipErrorIllegalState;
  if (capture->origin != stream.get())
    return hipErrorStreamCaptureUnmatched;
  if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return hipErrorStreamCaptureWrongThread;
  int code = capture->invalid    ? hipErrorStreamCaptureInvalidated
             : !joined(*capture) ? hipErrorStreamCaptureUnjoined
                                 : hipSuccess;
  endCapture(runtime, capture);
  if (code) {
    forgetGraph(runtime, *capture->graph);
    return code;
  }
  *graph = capture->graph.get();
  runtime.graphs.emplace(*graph, std::move(capture->graph));
  return hipSuccess;
}

int hipStreamIsCapturing(hipStream_t handle, int *status) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (!status)
    return hipErrorInvalidValue;
  if (int code = runtime.findStream(handle, stream))
    return code;
  // Asking for the legacy stream is refused while a blocking stream captures, but does no harm.
  if (stream->kind == StreamKind::Legacy)
    for (const auto &capture : runtime.captures)
      for (const Stream *other : capture->streams)
        if (other->device == stream->device && other->blocking())
          return hipErrorStreamCaptureImplicit;
  *status = stream->capture ? stream->capture->status() : hipStreamCaptureStatusNone;
  return hipSuccess;
}

int hipStreamGetCaptureInfo(hipStream_t handle, int *status, unsigned long long *id) {
  return hipStreamGetCaptureInfo_v2(handle, status, id, nullptr, nullptr, nullptr);
}

int hipStreamGetCaptureInfo_v2(hipStream_t handle, int *status, unsigned long long *id,
                               hipGraph_t *graph, const hipGraphNode_t **nodes, size_t *count) {
  if (int code = hipStreamIsCapturing(handle, status))
    return code;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (*status != hipStreamCaptureStatusActive || !stream->capture)
    return hipSuccess;
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = stream->capture->graph.get();
  if (nodes)
    *nodes = stream->captureTail.data();
  if (count)
    *count = stream->captureTail.size();
  return hipSuccess;
}

int hipThreadExchangeStreamCaptureMode(int *mode) {
  if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  std::swap(*mode, Thread::current().captureMode);
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
