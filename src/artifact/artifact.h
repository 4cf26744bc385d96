// The artifact (.tlk): what the compiler gives and every driver, cache and tool takes. Bytes only:
// it knows element types and launch expressions, not graphs.
#pragma once

#include "support/bytes.h"
#include "support/dtype.h"
#include "support/result.h"

#include <map>
#include <optional>

namespace tl {

/// An extent or stride of a view argument.
struct DimSpec {
  enum class Kind : uint8_t { Literal = 1, Scalar = 2, Dynamic = 3 };
  Kind kind = Kind::Literal;
  /// Literal: the number. Scalar: index of the scalar argument that holds it.
  int64_t value = 0;
};

enum class ArgKind : uint8_t { Scalar = 1, View = 2, Pointer = 3 };

/// How an example input is made when a kernel is run as it stands (tlc run, tests).
struct Generator {
  enum class Kind : uint8_t { None = 0, Zeros = 1, Arange = 2, Uniform = 3, Randn = 4, Const = 5 };
  Kind kind = Kind::None;
  /// Uniform: low and high (integers: high excluded). Const: low.
  /// A bound that is a scalar argument has its index in lowArg/highArg (else -1).
  double low = 0, high = 1;
  int32_t lowArg = -1, highArg = -1;
};

/// One argument of a kernel, in launch order.
struct ArtifactArg {
  std::string name;
  ArgKind kind = ArgKind::Scalar;
  DType dtype = DType::F32;
  std::vector<DimSpec> extents; // views
  std::vector<DimSpec> strides; // views, in elements; empty = row-major contiguous
  bool optional = false;        // a NULL pointer is allowed
  bool distinct = false;        // overlaps no other argument
  bool written = false;         // the kernel stores to it
  bool hasDefault = false;      // scalars
  int64_t defaultInt = 0;
  double defaultFloat = 0;
  Generator generator;
};

/// An integer expression over scalar arguments, in postfix order; evaluated at launch with i64
/// wrap-around. Every operation means what the op of that name means in the tile graph: a quotient
/// by zero is 0, a remainder by zero is the dividend. Narrower integers are i64 values that a Wrap
/// brings back into their range.
struct ExprNode {
  enum class Op : uint8_t {
    Literal = 1, // value
    Scalar = 2,  // integer scalar argument number `value`
    Extent = 3,  // extent: view argument (value >> 8), axis (value & 255)
    Stride = 4,  // stride in elements, coded likewise
    Add = 5,
    Sub = 6,
    Mul = 7,
    Div = 8, // truncating
    Rem = 9, // of truncating division
    FloorDiv = 10,
    FloorMod = 11,
    CeilDiv = 12,
    Min = 13,
    Max = 14,
    Wrap = 15, // unary; to `value` bits: 1, 8, 16, 32, 64 unsigned below 64; negative: signed of
               // -value bits
    Less = 16, // 1 or 0; signed
    LessEqual = 17,
    Equal = 18,
    Select = 19, // ternary: condition, value if not 0, value if 0
  };
  Op op = Op::Literal;
  int64_t value = 0;
};
using Expr = std::vector<ExprNode>;

/// Steps and temporaries of one sequence.
inline constexpr size_t kMaxSteps = 4096;
inline constexpr size_t kMaxTemporaries = 256;

/// Nodes of one expression, and values it may hold at once.
inline constexpr size_t kMaxExprNodes = 4096;
inline constexpr size_t kMaxExprDepth = 64;

/// One 8-byte slot of the kernel argument block; slot i stands at byte 8 * i, on every target.
struct KernargSlot {
  enum class Kind : uint8_t {
    Pointer = 1, // data pointer of argument `arg`
    Scalar,      // integers extended to 64 bits by their sign, floats as their bits, zero-extended
    Extent,      // extent `axis` of `arg` (dynamic ones only)
    Stride,      // stride `axis` of `arg`, in elements (dynamic ones only)
    Grid,        // number of programs along `axis` (always the last three slots)
    Log,         // axis 0: address of the device's log; 1: the launch's tag (log.h; right before
                 // the grid, in kernels that print or assert)
  };
  Kind kind = Kind::Pointer;
  uint16_t arg = 0;
  uint8_t axis = 0;
};

/// What a kernel uses on its chip, for reports; 0 where it does not apply.
struct ResourceUse {
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, vgprSpills = 0, sgprSpills = 0;
  uint32_t ldsBytes = 0, scratchBytes = 0, occupancyWaves = 0;
};

/// Milliseconds per stage of a build (not part of the reproducible bytes: kept apart, see
/// Artifact::timing).
struct BuildTiming {
  double passes = 0, llvmOpt = 0, llvmCodegen = 0, link = 0, total = 0;
};

/// The code for one target.
struct TargetCode {
  std::string target; // "amdgcn:gfx942", "host:x86-64-v3+...", "interp"
  std::string symbol; // of the kernel in `code`
  Bytes code;   // amdgcn: ELF code object; host: linked position-independent image; interp: empty
  Bytes object; // host: the relocatable object (for debuggers); else empty
  uint32_t threads = 1; // per program
  uint32_t waveSize = 1;
  uint32_t arenaBytes = 0; // host: scratch per worker thread
  uint32_t ldsBytes = 0;   // static LDS the launch needs
  ResourceUse use;
  std::map<std::string, std::string>
      listings; // "llvm", "asm", "passes": text asked for with --emit
};

/// Where an op of the canonical text came from in the author's source.
struct LocationEntry {
  uint32_t line = 0; // of the canonical text, 1-based
  SourceLocation source;
};

/// Memory that a launch of a sequence takes from its workspace, row-major.
struct ArtifactTemporary {
  DType dtype = DType::F32;
  std::vector<Expr> extents; // 1 to 8
};

/// What a step of a sequence gives one argument of its kernel.
struct StepArg {
  enum class Kind : uint8_t {
    Argument = 1,  // argument `index` of the sequence
    Temporary = 2, // temporary `index`
    Integer = 3,   // the value of `expr`
    Float = 4,     // `number`
  };
  Kind kind = Kind::Argument;
  uint32_t index = 0;
  Expr expr;
  double number = 0;
};

/// One launch of a sequence: a member, with a value for each of its arguments.
struct Step {
  uint32_t member = 0;
  std::vector<StepArg> args;
};

/// A print or an assert.
struct LogSite {
  struct Value {
    DType dtype = DType::F32;
    std::vector<int64_t> extents; // of a tile; none for a scalar
  };
  bool isAssert = false;
  uint32_t line = 0; // of the canonical text
  std::string message;
  std::vector<Value> values; // of a print, in the order of its operands; of an assert its tile
};

/// A kernel; or a sequence, whose steps launch its members; or a library, which only holds members.
struct Artifact {
  std::string kernel; // its name, or the sequence's; empty for a library
  std::vector<ArtifactArg> args;
  std::vector<KernargSlot> slots;
  std::vector<Expr> grid; // 1 to 3
  std::vector<LogSite> logSites;
  std::vector<TargetCode> codes;
  Bytes graph;      // canonical, instantiated graph in binary form (may be empty)
  std::string text; // canonical text that debug info refers to
  std::vector<LocationEntry> locations;       // outside the key; may differ between equal requests
  std::string buildId;                        // of the compiler that made it
  std::vector<ArtifactTemporary> temporaries; // sequences
  std::vector<Step> steps;                    // sequences: at least one
  std::vector<Artifact> members; // kernels of a sequence; kernels and sequences of a library
  bool isSequence() const { return !steps.empty(); }
  bool isLibrary() const { return kernel.empty(); }
  std::optional<BuildTiming> timing; // never serialized into .tlk files
};

/// The format version that writeArtifact writes and the newest that readArtifact takes.
inline constexpr uint32_t kArtifactVersion = 1;

/// Serializes; equal artifacts give equal bytes. The location section is the last one, so that all
/// bytes before it are independent of source locations. The artifact must be valid
/// (validateArtifact).
Bytes writeArtifact(const Artifact &artifact);
/// Validates everything that is read (counts, indices, offsets, checksum, expression stack
/// discipline, slots against arguments). TL_E_CORRUPT for damaged bytes, TL_E_VERSION for newer
/// ones.
Result<Artifact> readArtifact(std::span<const uint8_t> bytes);
/// Where the location section starts: the bytes before it are equal for equal requests. The same
/// errors as readArtifact for damaged headers.
Result<size_t> artifactBodySize(std::span<const uint8_t> bytes);
/// The rules that every artifact keeps, whoever made it; TL_E_CORRUPT names the first one broken.
Status validateArtifact(const Artifact &artifact);

/// What a launch expression is evaluated over. Arguments without a value of that kind may hold
/// anything.
struct ExprEnv {
  const int64_t *scalars = nullptr;        // by argument index
  const int64_t *const *extents = nullptr; // by argument index
  const int64_t *const *strides = nullptr; // by argument index
};
/// Evaluates a valid launch expression; never fails, never allocates.
int64_t evaluate(const Expr &expr, const ExprEnv &env) noexcept;

} // namespace tl
