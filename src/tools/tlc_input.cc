#include "tlc_input.h"

#include "tlc_element.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tlc {

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  /// Standard normal, by Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
  }

private:
  uint64_t state;
};

/// The last setting of that name: later options win.
const Setting *find(const std::vector<Setting> &settings, const std::string &name) {
  const Setting *found = nullptr;
  for (const Setting &setting : settings)
    if (setting.name == name)
      found = &setting;
  return found;
}

std::vector<int64_t> parseShape(const std::string &text, const std::string &what) {
  std::vector<int64_t> shape;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('x', begin), text.size());
    shape.push_back(parseInteger(text.substr(begin, end - begin), what));
    begin = end + 1;
  }
  return shape;
}

/// Elements from the first to the last that the view reaches, from its data pointer on.
size_t reach(const HostArg &arg) {
  unsigned __int128 last = 0;
  for (size_t i = 0; i < arg.shape.size(); ++i) {
    if (arg.shape[i] == 0)
      return 0;
    if (arg.strides[i] < 0)
      fail("argument %s: negative strides cannot be run from the command line", arg.name.c_str());
    last += (unsigned __int128)(arg.shape[i] - 1) * (unsigned __int128)arg.strides[i];
  }
  if (last > (uint64_t(1) << 40))
    fail("argument %s: %llu elements are too many", arg.name.c_str(), (unsigned long long)last);
  return size_t(last) + 1;
}

/// Calls body(offset in elements) for each element in row-major order.
template <class Body> void forEachElement(const HostArg &arg, Body &&body) {
  if (std::any_of(arg.shape.begin(), arg.shape.end(), [](int64_t n) { return n <= 0; }))
    return;
  std::vector<int64_t> index(arg.shape.size(), 0);
  for (;;) {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i)
      offset += index[i] * arg.strides[i];
    body(size_t(offset));
    size_t axis = index.size();
    while (axis > 0 && ++index[axis - 1] == arg.shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

void setScalar(HostArg &arg, const InputOptions &options) {
  const ElementType *type = elementType(arg.info.dtype);
  const Setting *given = find(options.set, arg.name);
  if (!given && !(arg.info.flags & TL_ARGUMENT_HAS_DEFAULT))
    fail("argument %s has no default: give it with --set %s=VALUE", arg.name.c_str(),
         arg.name.c_str());
  arg.intValue = arg.info.default_int;
  arg.floatValue = arg.info.default_float;
  if (!given)
    return;
  if (type->isFloat)
    arg.floatValue = parseNumber(given->value, "argument " + arg.name);
  else
    arg.intValue = parseInteger(given->value, "argument " + arg.name);
}

/// Resolves extents and strides; dynamic ones from --shape or a file's shape.
void setShape(HostArg &arg, const std::vector<HostArg> &all, const InputOptions &options,
              const Array *file) {
  std::vector<int64_t> given;
  if (const Setting *shape = find(options.shapes, arg.name))
    given = parseShape(shape->value, "the shape of " + arg.name);
  else if (file)
    given = file->shape;
  if (!given.empty() && given.size() != arg.info.rank)
    fail("argument %s has %u axes, not %zu", arg.name.c_str(), arg.info.rank, given.size());
  auto value = [&](int64_t code) { return code < 0 ? all[size_t(-1 - code)].intValue : code; };
  for (uint32_t i = 0; i < arg.info.rank; ++i) {
    int64_t code = arg.info.extents[i];
    if (code == TL_DYNAMIC && given.empty())
      fail(
          "argument %s takes its extents from the tensor: give --shape %s=AxB or --in %s=@file.npy",
          arg.name.c_str(), arg.name.c_str(), arg.name.c_str());
    int64_t n = code == TL_DYNAMIC ? given[i] : value(code);
    if (n < 0 || (!given.empty() && given[i] != n))
      fail("argument %s: axis %u has extent %lld, the kernel wants %lld", arg.name.c_str(), i,
           (long long)(given.empty() ? n : given[i]), (long long)n);
    arg.shape.push_back(n);
  }
  arg.strides.assign(arg.shape.size(), 1);
  int64_t contiguous = 1;
  for (size_t i = arg.shape.size(); i-- > 0;) {
    int64_t code = arg.info.strides ? arg.info.strides[i] : TL_DYNAMIC;
    arg.strides[i] = code == TL_DYNAMIC ? contiguous : value(code);
    contiguous *= std::max<int64_t>(arg.shape[i], 1);
  }
}

void fillFromFile(HostArg &arg, const Array &file) {
  const ElementType *type = elementType(arg.info.dtype);
  if (file.type != type->npy && !(type->bytes == 1 && file.type.size() == 3 && file.type[2] == '1'))
    fail("argument %s is of %s; the file holds %s", arg.name.c_str(), type->text,
         file.type.c_str());
  const uint8_t *from = file.bytes.data();
  forEachElement(arg, [&](size_t offset) {
    std::memcpy(&arg.bytes[offset * type->bytes], from, type->bytes);
    from += type->bytes;
  });
}

/// The generator by name, or the kernel's own, or a plain one.
tl_generator generatorOf(const HostArg &arg, const Setting *given) {
  if (!given)
    return arg.info.generator != TL_GENERATOR_NONE ? arg.info.generator
           : arg.info.written                      ? TL_GENERATOR_NONE
                                                   : TL_GENERATOR_RANDN;
  struct Row {
    const char *text;
    tl_generator generator;
  };
  static constexpr Row rows[] = {{"randn", TL_GENERATOR_RANDN},
                                 {"zeros", TL_GENERATOR_ZEROS},
                                 {"arange", TL_GENERATOR_ARANGE},
                                 {"uniform", TL_GENERATOR_UNIFORM}};
  for (const Row &row : rows)
    if (given->value == row.text)
      return row.generator;
  fail("--in %s=%s: inputs are randn, zeros, arange, uniform or @file.npy", given->name.c_str(),
       given->value.c_str());
}

void generate(HostArg &arg, const std::vector<HostArg> &all, const Setting *given, uint64_t seed) {
  const ElementType *type = elementType(arg.info.dtype);
  tl_generator generator = generatorOf(arg, given);
  bool own = generator == arg.info.generator;
  auto bound = [&](int32_t argument, double number) {
    return argument >= 0 ? double(all[size_t(argument)].intValue) : number;
  };
  double low = own ? bound(arg.info.low_argument, arg.info.low) : 0;
  double high = own ? bound(arg.info.high_argument, arg.info.high) : type->isFloat ? 1 : 100;
  if (generator == TL_GENERATOR_NONE)
    return; // an output: stays poisoned
  Random random(seed);
  int64_t count = 0;
  forEachElement(arg, [&](size_t offset) {
    uint8_t *at = &arg.bytes[offset * type->bytes];
    switch (generator) {
    case TL_GENERATOR_ARANGE:
      return storeInteger(type->dtype, at, count++);
    case TL_GENERATOR_UNIFORM:
      // Integers: low <= x < high, rounded down.
      return storeNumber(type->dtype, at,
                         type->isFloat ? low + (high - low) * random.uniform()
                                       : std::floor(low + (high - low) * random.uniform()));
    case TL_GENERATOR_RANDN:
      return storeNumber(type->dtype, at,
                         type->isFloat ? random.normal() : std::floor(random.uniform() * 100));
    case TL_GENERATOR_CONST:
      return storeNumber(type->dtype, at, low);
    case TL_GENERATOR_ZEROS:
      return storeInteger(type->dtype, at, 0);
    }
  });
}

void refuseUnknown(const std::vector<HostArg> &args, const std::vector<Setting> &settings,
                   const char *option, bool scalar) {
  for (const Setting &setting : settings) {
    bool known = false;
    for (const HostArg &arg : args)
      known |= arg.name == setting.name && (arg.info.kind == TL_TYPE_TILE) == scalar;
    if (!known)
      fail("%s %s: the kernel has no %s of that name", option, setting.name.c_str(),
           scalar ? "scalar argument or parameter" : "view argument");
  }
}

} // namespace

std::vector<HostArg> makeInputs(const Kernel &kernel, const InputOptions &options) {
  size_t count = 0;
  check(tl_kernel_argument_count(kernel.get(), &count), "reading the kernel's arguments");
  std::vector<HostArg> args(count);
  for (size_t i = 0; i < count; ++i) {
    check(tl_kernel_get_argument(kernel.get(), i, &args[i].info), "reading the kernel's arguments");
    args[i].name = args[i].info.name;
  }
  refuseUnknown(args, options.set, "--set", true);
  refuseUnknown(args, options.in, "--in", false);
  refuseUnknown(args, options.shapes, "--shape", false);
  for (HostArg &arg : args)
    if (arg.info.kind == TL_TYPE_TILE)
      setScalar(arg, options);
  for (size_t i = 0; i < count; ++i) {
    HostArg &arg = args[i];
    if (arg.info.kind == TL_TYPE_TILE)
      continue;
    if (arg.info.kind == TL_TYPE_POINTER)
      fail("argument %s is a plain pointer: its size is unknown, so the kernel cannot be run from "
           "here",
           arg.name.c_str());
    const Setting *given = find(options.in, arg.name);
    bool fromFile = given && given->value[0] == '@';
    Array file;
    if (fromFile)
      file = readNpy(given->value.substr(1));
    setShape(arg, args, options, fromFile ? &file : nullptr);
    // What the kernel should write starts as something that it will hardly write, so that a missing
    // store shows.
    arg.bytes.assign(reach(arg) * elementType(arg.info.dtype)->bytes, 0xa5);
    if (fromFile)
      fillFromFile(arg, file);
    else
      generate(arg, args, given, options.seed * 1000003 + i);
  }
  return args;
}

std::vector<tl_arg> launchArgs(const std::vector<HostArg> &args,
                               const std::vector<void *> &pointers) {
  std::vector<tl_arg> list;
  for (size_t i = 0; i < args.size(); ++i) {
    const HostArg &arg = args[i];
    if (arg.info.kind != TL_TYPE_TILE) {
      list.push_back(
          tl_arg_tensor(pointers[i], arg.info.dtype, int32_t(arg.shape.size()), arg.shape.data()));
      list.back().strides = arg.strides.data();
    } else if (elementType(arg.info.dtype)->isFloat) {
      list.push_back(tl_arg_float(arg.floatValue));
    } else {
      list.push_back(tl_arg_int(arg.intValue));
    }
  }
  return list;
}

std::vector<uint8_t> gatherRows(const HostArg &arg, const std::vector<uint8_t> &bytes) {
  std::vector<uint8_t> rows;
  unsigned size = elementType(arg.info.dtype)->bytes;
  forEachElement(arg, [&](size_t offset) {
    rows.insert(rows.end(), bytes.begin() + long(offset * size),
                bytes.begin() + long((offset + 1) * size));
  });
  return rows;
}

std::string describe(const HostArg &arg) {
  const ElementType *type = elementType(arg.info.dtype);
  if (arg.info.kind == TL_TYPE_TILE) {
    char number[32];
    std::snprintf(number, sizeof number, "%g", arg.floatValue);
    return arg.name + "=" + (type->isFloat ? std::string(number) : std::to_string(arg.intValue));
  }
  std::string s = arg.name + "=" + type->text + "[";
  for (size_t i = 0; i < arg.shape.size(); ++i)
    s += (i ? "," : "") + std::to_string(arg.shape[i]);
  return s + "]";
}

} // namespace tlc
