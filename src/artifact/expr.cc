#include "artifact/artifact.h"

#include <algorithm>

namespace tl {

// Arithmetic of the tile graph on i64: wrap-around, total division.
static int64_t wrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrapSub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
static int64_t wrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

static int64_t truncDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? wrapSub(0, a) : a / b;
}

static int64_t truncRem(int64_t a, int64_t b) {
  if (b == 0)
    return a;
  return b == -1 ? 0 : a % b;
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t rem = truncRem(a, b);
  return truncDiv(a, b) - int64_t(b != 0 && rem != 0 && (rem < 0) != (b < 0));
}

static int64_t ceilDiv(int64_t a, int64_t b) {
  int64_t rem = truncRem(a, b);
  return truncDiv(a, b) + int64_t(b != 0 && rem != 0 && (rem < 0) == (b < 0));
}

static int64_t wrapTo(int64_t value, int64_t bits) {
  if (bits > 0)
    return bits >= 64 ? value : int64_t(uint64_t(value) & ((uint64_t(1) << bits) - 1));
  unsigned shift = unsigned(64 + bits);
  return int64_t(uint64_t(value) << shift) >> shift;
}

static int64_t binary(ExprNode::Op op, int64_t a, int64_t b) {
  switch (op) {
  case ExprNode::Op::Add:
    return wrapAdd(a, b);
  case ExprNode::Op::Sub:
    return wrapSub(a, b);
  case ExprNode::Op::Mul:
    return wrapMul(a, b);
  case ExprNode::Op::Div:
    return truncDiv(a, b);
  case ExprNode::Op::Rem:
    return truncRem(a, b);
  case ExprNode::Op::FloorDiv:
    return floorDiv(a, b);
  case ExprNode::Op::FloorMod:
    return wrapSub(a, wrapMul(floorDiv(a, b), b));
  case ExprNode::Op::CeilDiv:
    return ceilDiv(a, b);
  case ExprNode::Op::Min:
    return std::min(a, b);
  case ExprNode::Op::Max:
    return std::max(a, b);
  case ExprNode::Op::Less:
    return a < b;
  case ExprNode::Op::LessEqual:
    return a <= b;
  default:
    return a == b;
  }
}

int64_t evaluate(const Expr &expr, const ExprEnv &env) noexcept {
  int64_t stack[kMaxExprDepth];
  size_t top = 0;
  for (const ExprNode &node : expr) {
    switch (node.op) {
    case ExprNode::Op::Literal:
      stack[top++] = node.value;
      break;
    case ExprNode::Op::Scalar:
      stack[top++] = env.scalars[node.value];
      break;
    case ExprNode::Op::Extent:
      stack[top++] = env.extents[node.value >> 8][node.value & 255];
      break;
    case ExprNode::Op::Stride:
      stack[top++] = env.strides[node.value >> 8][node.value & 255];
      break;
    case ExprNode::Op::Wrap:
      stack[top - 1] = wrapTo(stack[top - 1], node.value);
      break;
    case ExprNode::Op::Select:
      top -= 2;
      stack[top - 1] = stack[top - 1] ? stack[top] : stack[top + 1];
      break;
    default:
      --top;
      stack[top - 1] = binary(node.op, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

} // namespace tl
