#include "tlc_input.h"

#include "tlc_element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

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

/// The most elements of one argument that are tried: 2^40, more than any memory holds.
constexpr uint64_t kMaxElements = uint64_t(1) << 40;

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
  if (last >= kMaxElements)
    fail("argument %s reaches over more than %llu elements (%s)", describe(arg).c_str(),
         (unsigned long long)kMaxElements, tl_status_name(TL_E_LIMIT));
  return size_t(last) + 1;
}

/// What the kernel should write starts as something that it will hardly write, so that a missing
/// store shows.
void allocate(HostArg &arg) {
  size_t bytes = reach(arg) * elementType(arg.info.dtype)->bytes;
  try {
    arg.bytes.assign(bytes, 0xa5);
  } catch (const std::bad_alloc &) {
    fail("no memory for argument %s, %zu bytes (%s)", describe(arg).c_str(), bytes,
         tl_status_name(TL_E_OUT_OF_MEMORY));
  }
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

/// `size`: what the file of a view says, or null.
void setScalar(HostArg &arg, const InputOptions &options, const int64_t *size) {
  const ElementType *type = elementType(arg.info.dtype);
  const Setting *given = find(options.set, arg.name);
  if (!given && size) {
    arg.intValue = *size;
    return;
  }
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

/// Contiguous strides, but for those that `given` names.
template <class Given> void setStrides(HostArg &arg, Given &&given) {
  arg.strides.assign(arg.shape.size(), 1);
  // As wide as the product may get: reach() refuses what is too large.
  int64_t contiguous = 1;
  for (size_t i = arg.shape.size(); i-- > 0;) {
    int64_t code = given(i);
    arg.strides[i] = code == TL_DYNAMIC ? contiguous : code;
    if (__builtin_mul_overflow(contiguous, std::max<int64_t>(arg.shape[i], 1), &contiguous))
      fail("the size of argument %s overflows 64 bits (%s)", describe(arg).c_str(),
           tl_status_name(TL_E_ARG_SHAPE));
  }
}

/// The size of the memory behind a plain pointer: the kernel does not say it.
void setPointerShape(HostArg &arg, const std::vector<int64_t> &given) {
  if (given.empty())
    fail("argument %s is a plain pointer, whose size the kernel does not say: give --shape %s=N or "
         "--in %s=@file.npy",
         arg.name.c_str(), arg.name.c_str(), arg.name.c_str());
  for (int64_t n : given)
    if (n < 0)
      fail("argument %s: the extent %lld is negative (%s)", arg.name.c_str(), (long long)n,
           tl_status_name(TL_E_ARG_SHAPE));
  arg.shape = given;
  setStrides(arg, [](size_t) { return TL_DYNAMIC; });
}

/// Resolves extents and strides; dynamic ones from --shape or a file's shape.
void setShape(HostArg &arg, const std::vector<HostArg> &all, const InputOptions &options,
              const Array *file) {
  std::vector<int64_t> given;
  if (const Setting *shape = find(options.shapes, arg.name))
    given = parseShape(shape->value, "the shape of " + arg.name);
  else if (file)
    given = file->shape;
  if (arg.info.kind == TL_TYPE_POINTER)
    return setPointerShape(arg, given);
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
    if (n < 0)
      fail("argument %s: extent %lld of axis %u is negative (%s)", arg.name.c_str(), (long long)n,
           i, tl_status_name(TL_E_ARG_SHAPE));
    if (!given.empty() && given[i] != n)
      fail("argument %s: axis %u has extent %lld, the kernel wants %lld (%s)", arg.name.c_str(), i,
           (long long)given[i], (long long)n, tl_status_name(TL_E_ARG_SHAPE));
    arg.shape.push_back(n);
  }
  setStrides(arg, [&](size_t i) {
    int64_t code = arg.info.strides ? arg.info.strides[i] : TL_DYNAMIC;
    return code == TL_DYNAMIC ? code : value(code);
  });
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

/// How an argument's input is made.
struct Recipe {
  tl_generator generator = TL_GENERATOR_NONE;
  double low = 0, high = 1;
};

/// "randn", "const:2.5", "uniform:-1:1": a generator's name and its numbers.
Recipe parseRecipe(const Setting &given, bool isFloat) {
  struct Row {
    const char *text;
    tl_generator generator;
    size_t least, most; // numbers
  };
  static constexpr Row rows[] = {{"randn", TL_GENERATOR_RANDN, 0, 0},
                                 {"zeros", TL_GENERATOR_ZEROS, 0, 0},
                                 {"arange", TL_GENERATOR_ARANGE, 0, 0},
                                 {"uniform", TL_GENERATOR_UNIFORM, 0, 2},
                                 {"const", TL_GENERATOR_CONST, 1, 1}};
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= given.value.size();) {
    size_t end = std::min(given.value.find(':', begin), given.value.size());
    parts.push_back(given.value.substr(begin, end - begin));
    begin = end + 1;
  }
  size_t numbers = parts.size() - 1;
  for (const Row &row : rows) {
    if (parts[0] != row.text || numbers < row.least || numbers > row.most ||
        (row.most == 2 && numbers == 1))
      continue;
    Recipe recipe{row.generator, 0, isFloat ? 1.0 : 100.0};
    std::string what = "--in " + given.name + "=" + parts[0];
    if (numbers > 0)
      recipe.low = parseNumber(parts[1], what);
    if (numbers > 1)
      recipe.high = parseNumber(parts[2], what);
    return recipe;
  }
  fail("--in %s=%s: inputs are randn, zeros, arange, uniform, uniform:LOW:HIGH, const:VALUE or "
       "@file.npy",
       given.name.c_str(), given.value.c_str());
}

/// What the command line says, or the kernel, or a plain one. A name without numbers takes those of
/// the kernel where it names the same generator.
Recipe recipeOf(const HostArg &arg, const std::vector<HostArg> &all, const Setting *given) {
  const tl_kernel_argument &info = arg.info;
  auto bound = [&](int32_t argument, double number) {
    return argument >= 0 ? double(all[size_t(argument)].intValue) : number;
  };
  const Recipe own{info.generator, bound(info.low_argument, info.low),
                   bound(info.high_argument, info.high)};
  if (given) {
    Recipe recipe = parseRecipe(*given, elementType(info.dtype)->isFloat);
    bool named = given->value.find(':') == std::string::npos;
    return named && recipe.generator == own.generator ? own : recipe;
  }
  if (own.generator != TL_GENERATOR_NONE)
    return own;
  return {info.written ? TL_GENERATOR_NONE : TL_GENERATOR_RANDN, 0, 1};
}

void generate(HostArg &arg, const std::vector<HostArg> &all, const Setting *given, uint64_t seed) {
  const ElementType *type = elementType(arg.info.dtype);
  const Recipe recipe = recipeOf(arg, all, given);
  const double low = recipe.low, high = recipe.high;
  if (recipe.generator == TL_GENERATOR_NONE)
    return; // an output: stays poisoned
  bool isInterval = low < high && std::isfinite(low) && std::isfinite(high);
  Random random(seed);
  int64_t count = 0;
  forEachElement(arg, [&](size_t offset) {
    uint8_t *at = &arg.bytes[offset * type->bytes];
    switch (recipe.generator) {
    case TL_GENERATOR_ARANGE:
      return storeInteger(type->dtype, at, count++);
    case TL_GENERATOR_UNIFORM:
      if (!isInterval)
        fail("the input of %s is uniform from %g to %g; the first must be less than the second",
             arg.info.name, low, high);
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
           scalar ? "scalar argument or parameter" : "view or pointer argument");
  }
}

} // namespace

/// Scalar arguments, by number, that are extents of views whose input is a file: the file's, unless
/// --set says otherwise.
static std::map<size_t, int64_t> sizesFromFiles(const std::vector<HostArg> &args,
                                                const InputOptions &options,
                                                const std::vector<std::optional<Array>> &files) {
  std::map<size_t, int64_t> sizes;
  for (size_t i = 0; i < args.size(); ++i) {
    const tl_kernel_argument &info = args[i].info;
    if (!files[i] || info.kind != TL_TYPE_VIEW || files[i]->shape.size() != info.rank)
      continue;
    for (uint32_t axis = 0; axis < info.rank; ++axis)
      if (int64_t code = info.extents[axis]; code < 0 && code != TL_DYNAMIC)
        if (size_t scalar = size_t(-1 - code); !find(options.set, args[scalar].name))
          sizes.emplace(scalar, files[i]->shape[axis]);
  }
  return sizes;
}

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
  std::vector<std::optional<Array>> files(count);
  for (size_t i = 0; i < count; ++i)
    if (const Setting *given = find(options.in, args[i].name); given && given->value[0] == '@')
      files[i] = readNpy(given->value.substr(1));
  const std::map<size_t, int64_t> sizes = sizesFromFiles(args, options, files);
  for (size_t i = 0; i < count; ++i)
    if (args[i].info.kind == TL_TYPE_TILE)
      setScalar(args[i], options, sizes.contains(i) ? &sizes.at(i) : nullptr);
  for (size_t i = 0; i < count; ++i) {
    HostArg &arg = args[i];
    if (arg.info.kind == TL_TYPE_TILE)
      continue;
    const Setting *given = find(options.in, arg.name);
    setShape(arg, args, options, files[i] ? &*files[i] : nullptr);
    allocate(arg);
    if (files[i])
      fillFromFile(arg, *files[i]);
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
