#include "differential/isolate.h"

#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tl::test {

namespace {

/// What a child sends: an outcome's numbers, then its text.
struct Message {
  uint64_t seed, inexact, undecided, written, textBytes;
  double buildMilliseconds;
  int32_t verdict;
  bool begins; // the case starts now; nothing else is known
};

void sendAll(int fd, const void *bytes, size_t size) {
  const char *at = static_cast<const char *>(bytes);
  while (size > 0) {
    ssize_t n = write(fd, at, size);
    if (n <= 0)
      _exit(3);
    at += n;
    size -= size_t(n);
  }
}

void send(int fd, uint64_t seed, const Outcome &o) {
  Message m = {seed,          o.inexact,           o.undecided,        o.written,
               o.text.size(), o.buildMilliseconds, int32_t(o.verdict), false};
  sendAll(fd, &m, sizeof m);
  sendAll(fd, o.text.data(), o.text.size());
}

void sendBegin(int fd, uint64_t seed) {
  Message m = {};
  m.seed = seed;
  m.begins = true;
  sendAll(fd, &m, sizeof m);
}

bool receive(int fd, void *bytes, size_t size) {
  char *at = static_cast<char *>(bytes);
  while (size > 0) {
    ssize_t n = read(fd, at, size);
    if (n <= 0)
      return false;
    at += n;
    size -= size_t(n);
  }
  return true;
}

bool receive(int fd, Message &m, Outcome &o) {
  if (!receive(fd, &m, sizeof m))
    return false;
  o.text.resize(m.textBytes);
  o.verdict = Verdict(m.verdict);
  o.inexact = m.inexact;
  o.undecided = m.undecided;
  o.written = m.written;
  o.buildMilliseconds = m.buildMilliseconds;
  return receive(fd, o.text.data(), m.textBytes);
}

struct Child {
  pid_t pid = 0;
  int fd = -1;
  uint64_t next = 0;    // seed that it takes next
  uint64_t current = 0; // seed that it is at
  bool busy = false;
  bool said = false; // anything at all
};

/// Runs `body(fd)` in a child process.
template <class Body> Child start(Body body) {
  int ends[2];
  if (pipe(ends) != 0)
    std::abort();
  std::fflush(nullptr);
  Child child;
  child.pid = fork();
  if (child.pid == 0) {
    close(ends[0]);
    body(ends[1]);
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  child.fd = ends[0];
  return child;
}

/// The process ends after so many seconds of processor time, or, asleep, ten times as long: that
/// nearly all of the processor goes elsewhere does not matter. 0: it does not end.
void limitTime(unsigned seconds) {
  itimerval timer = {{0, 0}, {time_t(seconds), 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(10 * seconds);
}

/// How the child ended, in words.
std::string end(Child &child) {
  close(child.fd);
  int status = 0;
  waitpid(child.pid, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF
               ? "it did not end in time"
               : std::string("killed by ") + strsignal(WTERMSIG(status));
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

Child startWorker(uint64_t seed, uint64_t limit, uint64_t stride, const OpenDevice &open,
                  unsigned seconds) {
  Child child = start([&](int fd) {
    std::unique_ptr<Device> device = open();
    for (uint64_t s = seed; s < limit; s += stride) {
      sendBegin(fd, s);
      limitTime(seconds);
      auto c = generateCase(s);
      Outcome outcome;
      if (c.ok())
        outcome = check(*c, *device);
      else
        outcome.text = "generator: " + c.error().message;
      limitTime(0);
      send(fd, s, outcome);
      // A fault stays with a device for as long as its process lives.
      if (outcome.verdict == Verdict::Failed)
        break;
    }
  });
  child.next = seed;
  return child;
}

} // namespace

Outcome checkIsolated(const Case &c, const OpenDevice &open, unsigned seconds) {
  Child child = start([&](int fd) {
    limitTime(seconds);
    std::unique_ptr<Device> device = open();
    send(fd, c.seed, check(c, *device));
  });
  Message m;
  Outcome outcome;
  bool received = receive(child.fd, m, outcome);
  std::string how = end(child);
  if (!received) {
    outcome = {};
    outcome.text = "the process ended: " + how;
  }
  return outcome;
}

void checkMany(uint64_t first, uint64_t count, const OpenDevice &open, unsigned processes,
               const std::function<bool(uint64_t seed, const Outcome &)> &done, unsigned seconds) {
  uint64_t limit = first + count;
  std::vector<Child> children;
  for (unsigned i = 0; i < processes; ++i)
    children.push_back(startWorker(first + i, limit, processes, open, seconds));
  auto report = [&](uint64_t seed, const Outcome &outcome) {
    if (seed < limit && !done(seed, outcome))
      limit = seed;
  };
  for (size_t running = children.size(); running > 0;) {
    std::vector<pollfd> polled;
    for (const Child &child : children)
      polled.push_back({child.fd, POLLIN, 0});
    poll(polled.data(), polled.size(), -1);
    for (size_t i = 0; i < children.size(); ++i) {
      Child &child = children[i];
      if (child.fd < 0 || !(polled[i].revents & (POLLIN | POLLHUP)))
        continue;
      Message m;
      Outcome outcome;
      bool received = receive(child.fd, m, outcome);
      if (received) {
        child.current = m.seed;
        child.busy = m.begins;
        child.said = true;
        child.next = m.seed + processes;
        if (!m.begins)
          report(m.seed, outcome);
        if (m.seed < limit)
          continue;
        kill(child.pid, SIGKILL); // what it is at, and all that follows, is beyond the limit
      }
      std::string how = end(child);
      if (child.busy && !received) { // died at this case
        outcome = {};
        outcome.text = "the process ended: " + how;
        report(child.current, outcome);
      }
      if (child.said && child.next < limit) {
        child = startWorker(child.next, limit, processes, open, seconds);
        continue;
      }
      child.fd = -1;
      --running;
    }
  }
}

} // namespace tl::test
