// What all commands of tlc share: RAII over the C API's handles, errors on stderr, files.
#pragma once

#include "tilelang.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tlc {

template <class T, void (*destroy)(T *)> struct Destroy {
  void operator()(T *p) const { destroy(p); }
};
using Context = std::unique_ptr<tl_context, Destroy<tl_context, tl_context_destroy>>;
using Device = std::unique_ptr<tl_device, Destroy<tl_device, tl_device_destroy>>;
using Graph = std::unique_ptr<tl_graph, Destroy<tl_graph, tl_graph_destroy>>;
/// A kernel, or a member of a library that it keeps.
using Kernel = std::shared_ptr<const tl_kernel>;
inline Kernel own(tl_kernel *kernel) {
  return std::shared_ptr<tl_kernel>(kernel, tl_kernel_destroy);
}

/// A command failed; the message is printed already. Only the tool throws, never the library.
struct Failed {
  int exitCode = 1;
};

/// What messages begin with.
extern const char *programName;

/// Prints a sentence to stderr as "tlc: ..." and throws Failed.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char *format, ...);
/// Throws Failed after printing an error and its diagnostics, unless status is TL_OK; names `file`
/// unless the error begins with a place in it. Destroys the error.
void check(tl_status status, tl_error *error, const std::string &file = "");
/// The same for calls without an error object; `what` says what was tried.
void check(tl_status status, const char *what);

std::vector<uint8_t> readFile(const std::string &path);
/// "-" is standard output.
void writeFile(const std::string &path, const void *bytes, size_t size);

Context makeContext();
Device openDevice(const Context &context, const std::string &name);
/// Reads a graph: the text form (.tile), or the binary one (.tlg) that --emit graph writes. "-" is
/// standard input.
Graph readGraph(const std::string &path);
/// The kernel or sequence of that name in the file that a graph was read from; "" is the last one.
Graph member(Graph graph, const std::string &name, const std::string &path);
/// Names of what a text holds, in its order.
std::vector<std::string> memberNames(const Graph &graph);
bool endsWith(const std::string &text, const char *suffix);

/// NAME=VALUE options, in order.
struct Setting {
  std::string name, value;
};
std::vector<Setting> splitSettings(const std::vector<std::string> &options, const char *option);
/// An integer, whole; fails with the option's name otherwise.
int64_t parseInteger(const std::string &text, const std::string &what);
double parseNumber(const std::string &text, const std::string &what);

/// Names of the graph's parameters among the settings, as the build wants them; the rest is left in
/// `others`.
struct ParamBindings {
  std::vector<std::string> names;
  std::vector<const char *> namePointers;
  std::vector<int64_t> values;
  void apply(tl_build_options &options);
};
ParamBindings takeParams(const std::vector<std::string> &paramNames,
                         const std::vector<Setting> &settings, std::vector<Setting> &others);
/// Names of the graph's parameters.
std::vector<std::string> paramNames(const Graph &graph);

} // namespace tlc
