#include "tlc_emu_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <set>

namespace tlc {
namespace {

using nlohmann::json;

[[noreturn, gnu::format(printf, 1, 2)]] void refuse(const char *format, ...) {
  va_list list;
  va_start(list, format);
  char text[512];
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  throw LaunchFileError{text};
}

bool isNumber(const json &value, uint64_t most, uint64_t &out) {
  if (!value.is_number_unsigned())
    return false;
  out = value.get<uint64_t>();
  return out <= most;
}

void readTriple(const json &launch, const char *key, bool needed, uint32_t *out) {
  if (!launch.contains(key)) {
    if (needed)
      refuse("needs \"%s\", a list of up to three numbers", key);
    return;
  }
  const json &list = launch[key];
  if (!list.is_array() || list.empty() || list.size() > 3)
    refuse("\"%s\" is a list of up to three numbers", key);
  for (size_t axis = 0; axis < list.size(); ++axis) {
    uint64_t value;
    if (!isNumber(list[axis], UINT32_MAX, value))
      refuse("\"%s\" has whole numbers from 0 to 4294967295", key);
    out[axis] = uint32_t(value);
  }
}

void checkKeys(const json &object, std::initializer_list<const char *> known,
               const std::string &where) {
  for (const auto &[key, value] : object.items())
    if (std::none_of(known.begin(), known.end(), [&](auto k) { return key == k; }))
      refuse("%sunknown key \"%.100s\"", where.c_str(), key.c_str());
}

LaunchArgument readBuffer(const json &given, const std::string &which) {
  checkKeys(given, {"buf", "out"}, which + ": ");
  LaunchArgument argument;
  argument.isBuffer = true;
  argument.bytes = 8;
  LaunchBuffer &buffer = argument.buffer;
  const json &source = given["buf"];
  if (source.is_string() && !source.get<std::string>().empty()) {
    buffer.file = source.get<std::string>();
  } else if (source.is_object() && source.contains("bytes") &&
             isNumber(source["bytes"], uint64_t(1) << 40, buffer.bytes)) {
    checkKeys(source, {"bytes", "fill"}, which + ": ");
    uint64_t fill = 0;
    buffer.filled = source.contains("fill");
    if (buffer.filled && !isNumber(source["fill"], 255, fill))
      refuse("%s: \"fill\" is a byte, 0 to 255", which.c_str());
    buffer.fill = uint8_t(fill);
  } else {
    refuse("%s: \"buf\" is a file's name or {\"bytes\": N, \"fill\": BYTE}, at most 2^40 bytes",
           which.c_str());
  }
  if (given.contains("out")) {
    if (!given["out"].is_string() || given["out"].get<std::string>().empty())
      refuse("%s: \"out\" is a file's name", which.c_str());
    buffer.out = given["out"].get<std::string>();
  }
  return argument;
}

template <class T> LaunchArgument floating(T value) {
  LaunchArgument argument;
  argument.bytes = sizeof value;
  std::memcpy(&argument.bits, &value, sizeof value);
  return argument;
}

LaunchArgument readInteger(const std::string &type, unsigned bytes, const json &value,
                           const std::string &which) {
  if (!value.is_number_integer())
    refuse("%s: \"%s\" is a whole number", which.c_str(), type.c_str());
  uint64_t bits =
      value.is_number_unsigned() ? value.get<uint64_t>() : uint64_t(value.get<int64_t>());
  unsigned unused = 64 - 8 * bytes;
  bool fitsUnsigned = bits << unused >> unused == bits;
  bool fitsSigned =
      !value.is_number_unsigned() && uint64_t(int64_t(bits << unused) >> unused) == bits;
  if (!fitsUnsigned && !fitsSigned)
    refuse("%s: the value does not fit \"%s\"", which.c_str(), type.c_str());
  LaunchArgument argument;
  argument.bytes = bytes;
  argument.bits = bits;
  return argument;
}

LaunchArgument readArgument(const json &given, const std::string &which) {
  if (!given.is_object() || given.empty())
    refuse("%s is an object such as {\"i32\": 5}", which.c_str());
  if (given.contains("buf"))
    return readBuffer(given, which);
  if (given.size() != 1)
    refuse("%s has more than one value", which.c_str());
  const std::string type = given.begin().key();
  const json &value = given.begin().value();
  static const struct {
    const char *name;
    unsigned bytes;
  } integers[] = {{"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2}, {"i32", 4},
                  {"u32", 4}, {"i64", 8}, {"u64", 8}, {"ptr", 8}};
  for (const auto &integer : integers)
    if (type == integer.name)
      return readInteger(type, integer.bytes, value, which);
  if (type != "f32" && type != "f64")
    refuse("%s: unknown type \"%.100s\"", which.c_str(), type.c_str());
  double number = 0;
  if (value == "nan" || value == "inf" || value == "-inf") // which JSON's numbers are not
    number = value == "nan" ? NAN : value == "inf" ? INFINITY : -INFINITY;
  else if (value.is_number())
    number = value.get<double>();
  else
    refuse("%s: \"%s\" is a number, \"nan\", \"inf\" or \"-inf\"", which.c_str(), type.c_str());
  if (type == "f64")
    return floating(number);
  if (std::isfinite(number) && !std::isfinite(float(number)))
    refuse("%s: the value does not fit \"f32\"", which.c_str());
  return floating(float(number));
}

// What is wrong with a text before anything of it is used. JSON lets a key stand twice and says
// nothing of which counts.
class LaunchTextCheck final : public json::json_sax_t {
public:
  std::string problem;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const json::string_t &) override { return true; }
  bool binary(json::binary_t &) override { return true; }
  bool string(json::string_t &value) override {
    auto control = [](char c) { return uint8_t(c) < ' ' || c == 127; };
    return std::none_of(value.begin(), value.end(), control) ||
           refuses("has a string with a control character");
  }
  bool start_object(size_t) override {
    open.emplace_back();
    return true;
  }
  bool key(json::string_t &value) override {
    return open.back().insert(value).second ||
           refuses("has the key \"" + value.substr(0, 100) + "\" twice");
  }
  bool end_object() override {
    open.pop_back();
    return true;
  }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  // "[json.exception.parse_error.101] parse error at line 1, column 2: ...; last read: ..."
  bool parse_error(size_t, const std::string &, const json::exception &error) override {
    std::string text = error.what();
    text = text.substr(std::min(text.find("] ") + 2, text.size()));
    return refuses("is no JSON: " + text.substr(0, text.find("; last read")));
  }

private:
  bool refuses(const std::string &what) {
    problem = what;
    return false;
  }
  std::vector<std::set<std::string>> open; // the keys of the objects that are not at their end
};

} // namespace

static json parseLaunch(const std::string &text) {
  LaunchTextCheck check;
  if (!json::sax_parse(text, &check))
    refuse("%s", check.problem.c_str());
  json launch = json::parse(text, nullptr, false);
  if (!launch.is_object())
    refuse("is no JSON object");
  return launch;
}

LaunchFile readLaunchFile(const std::string &text) {
  json launch = parseLaunch(text);
  checkKeys(launch, {"chip", "kernel", "grid", "block", "dynamic_lds", "args", "remainder"}, "");
  LaunchFile file;
  for (auto [key, out] : {std::pair{"chip", &file.chip}, {"kernel", &file.kernel}}) {
    if (!launch.contains(key) || !launch[key].is_string())
      refuse("needs \"%s\", a string", key);
    *out = launch[key].get<std::string>();
  }
  readTriple(launch, "grid", true, file.grid);
  readTriple(launch, "block", true, file.block);
  readTriple(launch, "remainder", false, file.remainder);
  uint64_t lds = 0;
  if (launch.contains("dynamic_lds") && !isNumber(launch["dynamic_lds"], UINT32_MAX, lds))
    refuse("\"dynamic_lds\" is a number of bytes, at most 4294967295");
  file.dynamicLds = uint32_t(lds);
  if (!launch.contains("args") || !launch["args"].is_array())
    refuse("needs \"args\", a list");
  for (const json &given : launch["args"])
    file.arguments.push_back(
        readArgument(given, "argument " + std::to_string(file.arguments.size())));
  return file;
}

} // namespace tlc
