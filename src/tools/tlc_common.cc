#include "tlc_common.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace tlc {

const char *programName = "tlc";

void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::fprintf(stderr, "%s: ", programName);
  std::vfprintf(stderr, format, args);
  std::fputc('\n', stderr);
  va_end(args);
  throw Failed{};
}

static const char *severityText(tl_severity severity) {
  return severity == TL_SEVERITY_ERROR     ? "error"
         : severity == TL_SEVERITY_WARNING ? "warning"
                                           : "note";
}

void check(tl_status status, tl_error *error, const std::string &file) {
  if (status == TL_OK)
    return;
  std::string message = error ? tl_error_message(error) : tl_status_text(status);
  if (!file.empty() && !message.starts_with(file + ":"))
    message = file + ": " + message;
  std::fprintf(stderr, "%s: %s (%s)\n", programName, message.c_str(), tl_status_name(status));
  for (size_t i = 0; i < tl_error_diagnostic_count(error); ++i) {
    tl_diagnostic d = TL_DIAGNOSTIC_INIT;
    if (tl_error_diagnostic(error, i, &d) != TL_OK)
      break;
    // The first diagnostic often is the message itself: then only its excerpt is new.
    if (!std::strstr(tl_error_message(error), d.text)) {
      if (d.line)
        std::fprintf(stderr, "%s:%u:%u: ", d.file, d.line, d.column);
      std::fprintf(stderr, "%s: %s [%s]\n", severityText(d.severity), d.text, d.pass);
    }
    if (*d.excerpt)
      std::fprintf(stderr, "%s\n", d.excerpt);
  }
  tl_error_destroy(error);
  throw Failed{};
}

void check(tl_status status, const char *what) {
  if (status != TL_OK)
    fail("%s: %s (%s)", what, tl_status_text(status), tl_status_name(status));
}

std::vector<uint8_t> readFile(const std::string &path) {
  struct Close {
    void operator()(std::FILE *file) const {
      if (file != stdin)
        std::fclose(file);
    }
  };
  // Devices such as /dev/zero have no end.
  struct stat about;
  if (path != "-" && stat(path.c_str(), &about) == 0 && S_ISCHR(about.st_mode))
    fail("cannot read %s: it is no ordinary file", path.c_str());
  std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  std::vector<uint8_t> bytes;
  uint8_t part[1 << 16];
  size_t got = 0;
  while (file && (got = std::fread(part, 1, sizeof part, file.get())) > 0)
    bytes.insert(bytes.end(), part, part + got);
  if (!file || std::ferror(file.get()))
    fail("cannot read %s: %s", path.c_str(), std::strerror(errno));
  return bytes;
}

void writeFile(const std::string &path, const void *bytes, size_t size) {
  if (path == "-") {
    std::fwrite(bytes, 1, size, stdout);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char *>(bytes), std::streamsize(size));
  file.close();
  if (!file)
    fail("cannot write %s: %s", path.c_str(), std::strerror(errno));
}

Context makeContext() {
  tl_context *context = nullptr;
  tl_error *error = nullptr;
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  options.log = [](void *, const tl_log_line *line) { std::fprintf(stderr, "%s\n", line->text); };
  tl_status status = tl_context_create(&options, &context, &error);
  check(status, error);
  return Context(context);
}

Device openDevice(const Context &context, const std::string &name) {
  if (name.rfind("emu:", 0) == 0)
    setenv("TL_EMU_LOG", "0", 0); // tlc itself says what a kernel did wrong
  tl_device *device = nullptr;
  tl_error *error = nullptr;
  tl_status status = tl_device_open(context.get(), name.c_str(), &device, &error);
  check(status, error);
  return Device(device);
}

Graph readGraph(const std::string &path) {
  static constexpr char binary[] = {'T', 'L', 'G', 'G'}; // how the binary form starts
  std::vector<uint8_t> bytes = readFile(path);
  static constexpr char artifact[] = {'\x89', 'T', 'L', 'K'};
  if (bytes.size() >= sizeof artifact && std::memcmp(bytes.data(), artifact, sizeof artifact) == 0)
    fail("%s is a compiled kernel, which tlc run takes, not a graph", path.c_str());
  tl_graph *graph = nullptr;
  tl_error *error = nullptr;
  bool isBinary = endsWith(path, ".tlg") || (bytes.size() >= sizeof binary &&
                                             std::memcmp(bytes.data(), binary, sizeof binary) == 0);
  tl_status status = isBinary ? tl_graph_load(bytes.data(), bytes.size(), &graph, &error)
                              : tl_graph_parse(reinterpret_cast<const char *>(bytes.data()),
                                               bytes.size(), path.c_str(), &graph, &error);
  check(status, error, path);
  return Graph(graph);
}

std::vector<std::string> memberNames(const Graph &graph) {
  std::vector<std::string> names;
  const char *name = nullptr;
  while (tl_graph_member(graph.get(), names.size(), &name, nullptr, nullptr) == TL_OK)
    names.push_back(name);
  return names;
}

Graph member(Graph graph, const std::string &name, const std::string &path) {
  if (name.empty())
    return graph;
  std::vector<std::string> names = memberNames(graph);
  std::string known;
  for (size_t i = 0; i < names.size(); ++i) {
    known += (i ? ", " : "") + names[i];
    if (names[i] != name)
      continue;
    tl_graph *found = nullptr;
    tl_error *error = nullptr;
    tl_status status = tl_graph_member(graph.get(), i, nullptr, &found, &error);
    check(status, error);
    return Graph(found);
  }
  fail("%s has no kernel '%s', it has %s", path.c_str(), name.c_str(), known.c_str());
}

bool endsWith(const std::string &text, const char *suffix) {
  size_t n = std::strlen(suffix);
  return text.size() >= n && text.compare(text.size() - n, n, suffix) == 0;
}

std::vector<Setting> splitSettings(const std::vector<std::string> &options, const char *option) {
  std::vector<Setting> settings;
  for (const std::string &text : options) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      fail("%s takes NAME=VALUE, not '%s'", option, text.c_str());
    std::string name = text.substr(0, equals);
    for (const Setting &other : settings)
      if (other.name == name)
        fail("%s %s is given twice", option, name.c_str());
    settings.push_back({name, text.substr(equals + 1)});
  }
  return settings;
}

int64_t parseInteger(const std::string &text, const std::string &what) {
  errno = 0;
  char *end = nullptr;
  long long v = std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end || errno)
    fail("%s must be an integer, not '%s'", what.c_str(), text.c_str());
  return v;
}

double parseNumber(const std::string &text, const std::string &what) {
  char *end = nullptr;
  double v = std::strtod(text.c_str(), &end);
  if (text.empty() || *end)
    fail("%s must be a number, not '%s'", what.c_str(), text.c_str());
  return v;
}

void ParamBindings::apply(tl_build_options &options) {
  for (const std::string &name : names)
    namePointers.push_back(name.c_str());
  options.param_names = namePointers.data();
  options.param_values = values.data();
  options.n_params = names.size();
}

ParamBindings takeParams(const std::vector<std::string> &known,
                         const std::vector<Setting> &settings, std::vector<Setting> &others) {
  ParamBindings bindings;
  for (const Setting &setting : settings) {
    bool isParam = false;
    for (const std::string &name : known)
      isParam |= name == setting.name;
    if (!isParam) {
      others.push_back(setting);
      continue;
    }
    bindings.names.push_back(setting.name);
    bindings.values.push_back(parseInteger(setting.value, "parameter " + setting.name));
  }
  return bindings;
}

std::vector<std::string> paramNames(const Graph &graph) {
  std::vector<std::string> names;
  size_t count = 0;
  check(tl_graph_param_count(graph.get(), &count), "reading the parameters");
  for (size_t i = 0; i < count; ++i) {
    tl_param param = TL_PARAM_INIT;
    check(tl_graph_get_param(graph.get(), i, &param), "reading a parameter");
    names.push_back(param.name);
  }
  return names;
}

} // namespace tlc
