// Printing what stands before a kernel's body. Ops of the head are written as nested calls where
// parsing makes the same ops in the same order from them, and as `let` items elsewhere.
#include "graph/text_literal.h"
#include "graph/text_printer.h"

#include <algorithm>
#include <cmath>

namespace tl {

void Printer::defineHeader() {
  for (const Argument &arg : g.kernel.args) {
    labels[arg.value] = "%" + arg.name;
    for (bool stride : {false, true}) {
      const std::vector<ViewDim> &dims = stride ? arg.strides : arg.extents;
      for (size_t axis = 0; axis < dims.size(); ++axis)
        if (dims[axis].kind == ViewDim::Kind::Dynamic)
          labels[dims[axis].value] =
              "%" + arg.name + (stride ? ".stride" : ".extent") + std::to_string(axis);
    }
  }
  for (const Param &param : g.kernel.params)
    labels[param.value] = "%" + param.name;
}

void Printer::printHeader() {
  constexpr size_t width = 100;
  defineHeader();
  const Kernel &k = g.kernel;
  std::vector<std::string> args;
  size_t length = k.name.size() + 10;
  for (const Argument &arg : k.args) {
    args.push_back(argumentText(arg));
    length += args.back().size() + 2;
  }
  out += (k.isSequence ? "sequence @" : "kernel @") + k.name + "(";
  for (size_t i = 0; i < args.size(); ++i) {
    out += i ? "," : "";
    if (length > width) {
      newLine();
      out += "        ";
    } else {
      out += i ? " " : "";
    }
    out += args[i];
  }
  out += ")";
  for (const Param &param : k.params) {
    std::string text = "param %" + param.name + " = " + std::to_string(param.defaultValue);
    for (size_t i = 0; i < param.choices.size(); ++i)
      text += (i ? ", " : " in [") + std::to_string(param.choices[i]);
    item(text + (param.choices.empty() ? "" : "]"));
  }
  if (!k.contract)
    item("contract = off");
  if (k.threads != 0)
    item("threads = " + std::to_string(k.threads));
  printHead();
  out += " {";
  newLine();
}

void Printer::item(const std::string &text, const std::vector<OpId> &ops) {
  newLine();
  out += "    " + text;
  for (OpId id : ops)
    opLine[id] = line;
}

std::string Printer::viewDimsText(const std::vector<ViewDim> &dims) const {
  std::string s = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    s += i ? ", " : "";
    switch (dims[i].kind) {
    case ViewDim::Kind::Literal:
      s += std::to_string(dims[i].literal);
      break;
    case ViewDim::Kind::Value:
      s += label(dims[i].value);
      break;
    case ViewDim::Kind::Dynamic:
      s += "?";
      break;
    }
  }
  return s + "]";
}

static std::string boundText(double value) {
  constexpr double exact = 9007199254740992.0; // 2^53
  bool integral = std::fabs(value) <= exact && std::trunc(value) == value;
  return integral && !(value == 0 && std::signbit(value)) ? std::to_string(int64_t(value))
                                                          : doubleText(value);
}

std::string Printer::generatorText(const InputGenerator &generator) const {
  auto bound = [&](double number, ValueId value) {
    return value ? label(value) : boundText(number);
  };
  switch (generator.kind) {
  case GeneratorKind::None:
    return "";
  case GeneratorKind::Zeros:
    return "zeros";
  case GeneratorKind::Arange:
    return "arange";
  case GeneratorKind::Randn:
    return "randn";
  case GeneratorKind::Uniform:
    return "uniform(" + bound(generator.low, generator.lowValue) + ", " +
           bound(generator.high, generator.highValue) + ")";
  case GeneratorKind::Const:
    return "const(" + bound(generator.low, generator.lowValue) + ")";
  }
  return "";
}

std::string Printer::argumentText(const Argument &arg) const {
  const Type &type = g.typeOf(arg.value);
  std::string d(dtypeText(type.dtype));
  std::string s = "%" + arg.name + ": ";
  if (type.isView())
    s += "view<" + d + ", " + viewDimsText(arg.extents) +
         (arg.strides.empty() ? "" : ", " + viewDimsText(arg.strides)) + ">";
  else
    s += type.isPointer() ? "ptr<" + d + ">" : d;
  s += arg.distinct ? " distinct" : "";
  s += arg.optional ? " optional" : "";
  if (arg.hasDefault)
    s += " = " + (isFloat(type.dtype) ? doubleText(arg.defaultFloat)
                                      : integerText(arg.defaultInt, type.dtype));
  else if (arg.generator.kind != GeneratorKind::None)
    s += " = " + generatorText(arg.generator);
  return s;
}

void Printer::printHead() {
  std::vector<Pending> pending;
  for (size_t i = 0; i < g.kernel.requires_.size(); ++i)
    requirement[g.kernel.requires_[i]] = i;
  for (OpId id : g.block(g.kernel.head).ops)
    printHeadOp(id, pending);
  printGridAndRequirements(pending);
}

/// Writes requirements up to `end`, whose values are all written or named by now.
void Printer::printRequirements(size_t end, const std::vector<OpId> &ops) {
  for (; requirementsDone < end; ++requirementsDone)
    item("require " + label(g.kernel.requires_[requirementsDone]),
         requirementsDone + 1 == end ? ops : std::vector<OpId>());
}

/// Writes a value that waits as the requirement that it is, if those before it can be written.
bool Printer::require(const Pending &pending) {
  auto it = requirement.find(pending.value);
  if (it == requirement.end() ||
      (pending.isConstant && g.typeOf(pending.value) != Type::scalar(DType::I64)))
    return false;
  for (size_t i = requirementsDone; i < it->second; ++i)
    if (label(g.kernel.requires_[i]).empty())
      return false;
  labels[pending.value] = pending.text;
  printRequirements(it->second + 1, pending.ops);
  return true;
}

/// Gives all values that wait their items: requirements, or `let` with a name.
void Printer::flush(std::vector<Pending> &pending) {
  for (Pending &p : pending) {
    if (require(p))
      continue;
    const Op &op = *g.definingOp(p.value);
    std::string text = p.isConstant ? operationText(op) : p.text;
    define(p.value);
    item("let " + label(p.value) + " = " + text, p.ops);
  }
  pending.clear();
}

void Printer::printHeadOp(OpId id, std::vector<Pending> &pending) {
  const Op &op = g.ops[id];
  bool hasResult = op.results.count == 1;
  ValueId v = hasResult ? g.result(op) : 0;
  bool waits = hasResult && uses[v] == 1 && !keepsName[v];
  Pending call;
  call.value = v;
  if (waits && op.opcode == Opcode::Const) {
    call.isConstant = true;
    call.text = constantText(op);
    call.ops = {id};
    pending.push_back(std::move(call));
    return;
  }
  if (!writeCall(op, pending, call)) {
    flush(pending);
    writeCall(op, pending, call); // every operand has a name now
  } else {
    auto inPlaceOperands = std::count_if(g.operands(op).begin(), g.operands(op).end(),
                                         [&](ValueId o) { return label(o).empty(); });
    pending.resize(pending.size() - size_t(inPlaceOperands));
  }
  call.ops.push_back(id);
  if (waits && !call.text.empty()) {
    pending.push_back(std::move(call));
    return;
  }
  flush(pending);
  std::string text = call.text.empty() ? operationText(op) : call.text;
  if (hasResult)
    define(v);
  item(hasResult ? "let " + label(v) + " = " + text : text, call.ops);
}

/// Writes an op as a call. False if operands that wait cannot be written in place: they must be the
/// last values that wait, calls first, then numbers of the type that they would get here, in order.
/// call.text stays empty for ops that have no such form.
bool Printer::writeCall(const Op &op, std::vector<Pending> &pending, Pending &call) const {
  constexpr unsigned maxDepth = 32;
  const OpInfo &info = opInfo(op.opcode);
  auto operands = g.operands(op);
  std::vector<const Pending *> inOrder(operands.size(), nullptr); // by operand
  std::vector<ValueId> written(operands.begin(), operands.end());
  size_t waiting = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    waiting += label(operands[i]).empty();
  if (waiting > pending.size())
    return false;
  size_t next = pending.size() - waiting;
  for (bool constants : {false, true})
    for (size_t i = 0; i < operands.size(); ++i) {
      if (next == pending.size() || pending[next].value != operands[i] ||
          pending[next].isConstant != constants)
        continue;
      inOrder[i] = &pending[next++];
      if (constants)
        written[i] = 0;
    }
  if (next != pending.size() && waiting != 0)
    return false;
  call.text.clear();
  call.ops.clear();
  bool callable = info.rule == Rule::Elementwise || info.rule == Rule::Compare ||
                  info.rule == Rule::Classify || info.rule == Rule::Select ||
                  info.rule == Rule::Cast || info.rule == Rule::Extent;
  if (!callable)
    return waiting == 0;
  std::string text =
      std::string(info.rule == Rule::Compare ? predText(Pred(g.intAttr(op, AttrKey::Pred)))
                                             : info.text) +
      "(";
  for (size_t i = 0; i < operands.size(); ++i) {
    const Pending *p = inOrder[i];
    if (p && p->isConstant &&
        literalType(g, op.opcode, written, i, DType::None) != g.typeOf(operands[i]).dtype)
      return false;
    if (p && (call.depth = std::max(call.depth, p->depth + 1)) > maxDepth)
      return false;
    text += (i ? ", " : "") + (p ? p->text : label(operands[i]));
  }
  if (info.rule == Rule::Cast)
    text += ", " + std::string(dtypeText(g.typeOf(g.result(op)).dtype));
  if (info.rule == Rule::Extent)
    text += ", " + std::to_string(g.intAttr(op, AttrKey::Axis));
  call.text = text + ")";
  for (size_t i = pending.size() - waiting; i < pending.size(); ++i)
    call.ops.insert(call.ops.end(), pending[i].ops.begin(), pending[i].ops.end());
  return true;
}

void Printer::printGrid(const std::vector<OpId> &ops) {
  std::string text = "grid [";
  for (ValueId v : g.kernel.grid)
    text += (text.back() == '[' ? "" : ", ") + label(v);
  item(text + "]", ops);
}

/// The grid and the requirements, in an order in which their expressions make the head's ops in
/// theirs; values that fit no such order become `let` items first.
void Printer::printGridAndRequirements(std::vector<Pending> &pending) {
  bool gridDone = false;
  std::vector<ValueId> waitingInGrid;
  for (ValueId v : g.kernel.grid)
    if (label(v).empty())
      waitingInGrid.push_back(v);
  for (size_t i = 0; i < pending.size();) {
    size_t run = 0;
    while (
        run < waitingInGrid.size() && i + run < pending.size() &&
        pending[i + run].value == waitingInGrid[run] &&
        (!pending[i + run].isConstant || g.typeOf(waitingInGrid[run]) == Type::scalar(DType::I64)))
      ++run;
    if (run != 0 && run == waitingInGrid.size()) {
      std::vector<OpId> ops;
      for (size_t end = i + run; i < end; ++i) {
        labels[pending[i].value] = pending[i].text;
        ops.insert(ops.end(), pending[i].ops.begin(), pending[i].ops.end());
      }
      printGrid(ops);
      gridDone = true;
      continue;
    }
    std::erase(waitingInGrid, pending[i].value);
    std::vector<Pending> one = {pending[i++]};
    flush(one);
  }
  printRequirements(g.kernel.requires_.size());
  if (!gridDone && !g.kernel.isSequence)
    printGrid({});
}

} // namespace tl
