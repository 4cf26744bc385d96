#include "graph/infer_shared.h"
#include "graph/text_literal.h"
#include "graph/text_names.h"
#include "graph/text_printer.h"

#include <algorithm>
#include <unordered_set>

namespace tl {

static const std::string textVersion = "tile 0.1\n";

PrintedText printText(const Graph &graph) {
  Printer printer(graph);
  std::string callees;
  for (const auto &callee : graph.kernel.callees)
    callees += Printer(*callee).print("").text + "\n";
  return printer.print(textVersion + callees);
}

std::string printModule(const Module &module) {
  std::string text = textVersion;
  std::unordered_set<std::string_view> done;
  auto print = [&](const Graph &graph) {
    if (!done.insert(graph.kernel.name).second)
      return;
    text += (done.size() == 1 ? "" : "\n") + Printer(graph).print("").text;
  };
  for (const auto &member : module.members) {
    for (const auto &callee : member->kernel.callees)
      print(*callee);
    print(*member);
  }
  return text;
}

PrintedText Printer::print(const std::string &before) {
  labels.resize(g.values.size());
  uses.resize(g.values.size(), 0);
  keepsName.resize(g.values.size(), false);
  inPlace.resize(g.ops.size(), false);
  opLine.resize(g.ops.size(), 0);
  std::vector<Event> head = flatten(g.kernel.head), body = flatten(g.kernel.body);
  countUses(head);
  countUses(body);
  for (const std::vector<ValueId> *list : {&g.kernel.grid, &g.kernel.requires_})
    for (ValueId v : *list)
      ++uses[v];
  chooseNames(head, body);
  chooseNumbersInPlace(body);
  out = before;
  line = 1 + uint32_t(std::count(out.begin(), out.end(), '\n'));
  printHeader();
  printBody(body);
  out += "}\n";
  return {std::move(out), std::move(opLine)};
}

std::vector<Printer::Event> Printer::flatten(BlockId block) const {
  struct Place {
    BlockId block;
    size_t next;
    OpId op; // whose region it is
    size_t region;
  };
  std::vector<Event> events;
  std::vector<Place> stack = {{block, 0, 0, 0}};
  while (!stack.empty()) {
    Place &place = stack.back();
    const std::vector<OpId> &ops = g.block(place.block).ops;
    if (place.next < ops.size()) {
      OpId id = ops[place.next++];
      auto regions = g.regions(g.ops[id]);
      events.push_back({regions.empty() ? Event::Kind::Op : Event::Kind::Open, id,
                        regions.empty() ? 0 : regions[0]});
      if (!regions.empty())
        stack.push_back({regions[0], 0, id, 0});
      continue;
    }
    Place ended = place;
    stack.pop_back();
    if (ended.op == 0)
      continue;
    auto regions = g.regions(g.ops[ended.op]);
    if (++ended.region < regions.size()) {
      BlockId next = regions[ended.region];
      events.push_back({Event::Kind::Next, ended.op, next});
      stack.push_back({next, 0, ended.op, ended.region});
    } else {
      events.push_back({Event::Kind::Close, ended.op, 0});
    }
  }
  return events;
}

void Printer::countUses(const std::vector<Event> &events) {
  for (const Event &event : events) {
    if (event.kind != Event::Kind::Op && event.kind != Event::Kind::Open)
      continue;
    const Op &op = g.ops[event.op];
    for (ValueId v : g.operands(op))
      ++uses[v];
    if (const Attr *dims = g.attr(op, AttrKey::Dims))
      for (int64_t entry : dims->list)
        if (entry < 0)
          ++uses[ValueId(-entry)];
  }
}

namespace {

/// Names that are taken where a value is defined, by the rule of the text form.
class TakenNames {
public:
  TakenNames() : scopes(1) {}
  bool take(std::string_view name) {
    if (!isValueName(name) || !taken.insert(name).second)
      return false;
    scopes.back().push_back(name);
    return true;
  }
  void push() { scopes.emplace_back(); }
  void pop() {
    for (std::string_view name : scopes.back())
      taken.erase(name);
    scopes.pop_back();
  }

private:
  std::unordered_set<std::string_view> taken;
  std::vector<std::vector<std::string_view>> scopes;
};

} // namespace

/// A value keeps its name unless that is visible already where it is defined.
void Printer::chooseNames(const std::vector<Event> &head, const std::vector<Event> &body) {
  TakenNames names;
  for (const Argument &arg : g.kernel.args)
    names.take(arg.name);
  for (const Param &param : g.kernel.params)
    names.take(param.name);
  auto choose = [&](ValueId v) { keepsName[v] = names.take(g.nameOf(v)); };
  for (const std::vector<Event> *events : {&head, &body}) {
    names.push();
    for (const Event &event : *events) {
      const Op &op = g.ops[event.op];
      if (event.kind == Event::Kind::Op) {
        for (ValueId v : g.results(op))
          choose(v);
        continue;
      }
      if (event.kind == Event::Kind::Open) {
        // Results are not visible within the regions: their names are free there.
        names.push();
        for (ValueId v : g.results(op))
          choose(v);
      }
      names.pop();
      if (event.kind == Event::Kind::Close) {
        for (ValueId v : g.results(op))
          if (keepsName[v])
            names.take(g.nameOf(v));
        continue;
      }
      names.push();
      for (ValueId v : g.block(event.region).args)
        choose(v);
    }
    names.pop();
  }
}

/// Constants that stand right before their only user are written as numbers in it, if the text form
/// would make the same constants there.
void Printer::chooseNumbersInPlace(const std::vector<Event> &events) {
  std::vector<OpId> run;
  for (const Event &event : events) {
    const Op &op = g.ops[event.op];
    bool starts = event.kind == Event::Kind::Op || event.kind == Event::Kind::Open;
    if (starts && op.opcode == Opcode::Const) {
      ValueId v = g.result(op);
      if (uses[v] != 1 || keepsName[v])
        run.clear();
      else
        run.push_back(event.op);
      continue;
    }
    if (starts && !run.empty())
      placeNumbers(op, run);
    run.clear();
  }
}

void Printer::placeNumbers(const Op &user, std::span<const OpId> constants) {
  auto operands = g.operands(user);
  ValueId mask = g.maskOperand(user);
  std::vector<ValueId> written(operands.begin(), operands.end());
  std::vector<size_t> positions; // of constants in operands, last first
  for (size_t i = operands.size(); i-- > 0 && positions.size() < constants.size();) {
    OpId candidate = constants[constants.size() - 1 - positions.size()];
    if (operands[i] != g.result(g.ops[candidate]) || operands[i] == mask)
      continue;
    positions.push_back(i);
    written[i] = 0;
  }
  DType suffix = user.results.count == 1 ? g.typeOf(g.result(user)).dtype : DType::None;
  // Dropping a number can only give others a type that they must have, so this settles.
  for (;;) {
    size_t fit = 0;
    while (fit < positions.size() && literalType(g, user.opcode, written, positions[fit], suffix) ==
                                         g.typeOf(operands[positions[fit]]).dtype)
      ++fit;
    if (fit == positions.size())
      break;
    for (size_t i = fit; i < positions.size(); ++i)
      written[positions[i]] = operands[positions[i]];
    positions.resize(fit);
  }
  for (size_t i = 0; i < positions.size(); ++i)
    inPlace[constants[constants.size() - 1 - i]] = true;
}

void Printer::newLine() {
  out += '\n';
  ++line;
}

void Printer::define(ValueId v) {
  labels[v] = "%" + (keepsName[v] ? std::string(g.nameOf(v)) : std::to_string(nextNumber++));
}

bool Printer::isEmptyRegion(BlockId block) const {
  const Block &b = g.block(block);
  return b.ops.size() == 1 && g.ops[b.ops[0]].opcode == Opcode::Yield &&
         g.ops[b.ops[0]].operands.count == 0;
}

void Printer::printBody(const std::vector<Event> &events) {
  unsigned depth = 1;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event &event = events[i];
    const Op &op = g.ops[event.op];
    switch (event.kind) {
    case Event::Kind::Op:
      opLine[event.op] = line;
      // An empty yield is what '}' means by itself.
      if (inPlace[event.op] || (op.opcode == Opcode::Yield && op.operands.count == 0))
        continue;
      out.append(2 * depth, ' ');
      if (op.results.count > 0) {
        std::string text = operationText(op);
        for (ValueId v : g.results(op)) {
          define(v);
          out += (v == g.result(op) ? "" : ", ") + label(v);
        }
        out += " = " + text;
      } else {
        out += operationText(op);
      }
      break;
    case Event::Kind::Open:
      opLine[event.op] = line;
      printOpen(op, depth++);
      for (ValueId v : g.block(event.region).args)
        if (labels[v].empty())
          define(v);
      break;
    case Event::Kind::Next:
      if (isEmptyRegion(event.region)) { // no else: its yield and the op's end follow
        opLine[events[++i].op] = line;
        continue;
      }
      out.append(2 * depth - 2, ' ');
      out += "} else {";
      break;
    case Event::Kind::Close:
      out.append(2 * --depth, ' ');
      out += "}";
      break;
    }
    newLine();
  }
}

/// "%r = for %i = %lo to %hi carry %x = %init {" or "%r = if %c {".
void Printer::printOpen(const Op &op, unsigned depth) {
  auto operands = g.operands(op);
  out.append(2 * depth, ' ');
  for (ValueId v : g.results(op)) {
    define(v);
    out += (v == g.result(op) ? "" : ", ") + label(v);
  }
  if (op.results.count > 0)
    out += " = ";
  if (op.opcode == Opcode::If) {
    out += "if " + operandText(operands[0]) + " {";
    return;
  }
  const std::vector<ValueId> &args = g.block(g.regions(op)[0]).args;
  for (ValueId v : args)
    define(v);
  if (op.opcode == Opcode::While) {
    out += "while " + operandText(operands[0]);
    printCarried(op);
    return;
  }
  if (hasCombineRegion(op.opcode)) {
    out += std::string(opInfo(op.opcode).text) + " ";
    for (ValueId v : operands)
      out += operandText(v) + ", ";
    out += "axis " + std::to_string(g.intAttr(op, AttrKey::Axis)) + " combine ";
    for (size_t i = 0; i < args.size(); ++i)
      out += (i == 0 ? "(" : i == operands.size() ? ") with (" : ", ") + label(args[i]);
    out += ") {";
    return;
  }
  out += "for " + label(args[0]) + " = " + operandText(operands[0]) + " to " +
         operandText(operands[1]);
  if (std::string step = operandText(operands[2]); step != "1")
    out += " step " + step;
  printCarried(op);
}

/// " carry %x = %init, ... {"
void Printer::printCarried(const Op &op) {
  auto args = std::span(g.block(g.regions(op)[0]).args).subspan(carriedArgumentsAt(op.opcode));
  auto starts = g.operands(op).subspan(firstCarried(op.opcode));
  for (size_t i = 0; i < args.size(); ++i)
    out += (i == 0 ? " carry " : ", ") + label(args[i]) + " = " + operandText(starts[i]);
  out += " {";
}

std::string Printer::constantText(const Op &op) const {
  return numberText(*g.attr(op, AttrKey::Value), g.typeOf(g.result(op)).dtype);
}

std::string Printer::operandText(ValueId v) const {
  const Value &value = g.values[v];
  if (value.kind == ValueKind::OpResult && inPlace[value.op])
    return constantText(g.ops[value.op]);
  return label(v);
}

std::string Printer::listText(std::span<const ValueId> values) const {
  std::string s = "[";
  for (size_t i = 0; i < values.size(); ++i)
    s += (i ? ", " : "") + operandText(values[i]);
  return s + "]";
}

static std::string integersText(const std::vector<int64_t> &list) {
  std::string s = "[";
  for (size_t i = 0; i < list.size(); ++i)
    s += (i ? ", " : "") + std::to_string(list[i]);
  return s + "]";
}

std::string Printer::dimsText(const Attr &dims, DType dtype) const {
  if (dims.list.empty())
    return std::string(dtypeText(dtype));
  bool named = std::any_of(dims.list.begin(), dims.list.end(), [](int64_t d) { return d < 0; });
  std::string s = "tile<";
  for (int64_t entry : dims.list) {
    s += entry < 0 ? label(ValueId(-entry)) : std::to_string(entry);
    s += named ? " x " : "x";
  }
  return s + std::string(dtypeText(dtype)) + ">";
}

std::string Printer::operationText(const Op &op) const {
  return std::string(opInfo(op.opcode).text) + leadingText(op) + operandsText(op) +
         trailingText(op);
}

std::string Printer::leadingText(const Op &op) const {
  const OpInfo &info = opInfo(op.opcode);
  std::string s;
  for (const AttrSpec &spec : info.attrs) {
    if (spec.kind == AttrKind::Pred)
      s += " " + std::string(predText(Pred(g.intAttr(op, spec.key))));
    else if (spec.kind == AttrKind::Reduce)
      s += " " + std::string(reduceText(ReduceKind(g.intAttr(op, spec.key))));
    else if (spec.key == AttrKey::Callee)
      s += " @" + g.kernel.callees[size_t(g.intAttr(op, spec.key) - 1)]->kernel.name;
    else if (spec.key == AttrKey::Value)
      s += " " + constantText(op);
    else if (spec.key == AttrKey::Axis && !spec.optional && info.operands.empty())
      s += " " + std::to_string(g.intAttr(op, spec.key));
  }
  return s;
}

std::string Printer::operandsText(const Op &op) const {
  const OpInfo &info = opInfo(op.opcode);
  auto operands = g.operands(op);
  if (op.opcode == Opcode::Yield) {
    std::string list = listText(operands);
    return " " + list.substr(1, list.size() - 2);
  }
  if (info.rule == Rule::Dispatch) {
    std::string list = listText(operands);
    return "(" + list.substr(1, list.size() - 2) + ")";
  }
  if (info.rule == Rule::MakeView) {
    auto dims = operands.subspan(1);
    return " " + operandText(operands[0]) + ", " + listText(dims.first(dims.size() / 2)) + ", " +
           listText(dims.subspan(dims.size() / 2));
  }
  if (info.rule == Rule::Copy) {
    const CopyIndices at = copyIndices(g, op);
    return " " + operandText(operands[0]) + listText(at.to) + ", " + operandText(operands[1]) +
           listText(at.from);
  }
  if (info.rule == Rule::Print) {
    std::string s = " " + quotedText(g.attr(op, AttrKey::Message)->text);
    for (ValueId v : operands)
      s += ", " + operandText(v);
    return s;
  }
  ValueId mask = g.maskOperand(op);
  std::string s;
  size_t next = 0;
  for (const OperandSpec &spec : info.operands) {
    if (spec.arity == Arity::One) {
      s += (next ? ", " : " ") + operandText(operands[next]);
      ++next;
    } else if (spec.arity == Arity::Variadic) {
      s += (next ? "" : " ") +
           listText(operands.subspan(next, operands.size() - next - (mask ? 1 : 0)));
    } else if (mask) {
      s += ", mask " + operandText(mask);
    }
  }
  return s;
}

std::string Printer::trailingText(const Op &op) const {
  const OpInfo &info = opInfo(op.opcode);
  std::string s, suffix;
  DType dtype = op.results.count > 0      ? g.typeOf(g.result(op)).dtype
                : info.rule == Rule::Copy ? g.typeOf(g.operand(op, 0)).dtype
                                          : DType::None;
  for (const AttrSpec &spec : info.attrs) {
    const Attr *attr = g.attr(op, spec.key);
    if (!attr)
      continue;
    if (spec.key == AttrKey::Perm)
      s += ", " + integersText(attr->list);
    else if (spec.key == AttrKey::Axis && info.rule == Rule::Extent)
      s += ", " + std::to_string(attr->i);
    else if (spec.key == AttrKey::Axis && !info.operands.empty())
      s += ", axis " + std::to_string(attr->i);
    else if (spec.key == AttrKey::Axis && spec.optional)
      s += " axis " + std::to_string(attr->i);
    else if (spec.kind == AttrKind::Round)
      s += " round " + std::string(roundingText(Rounding(attr->i)));
    else if (spec.kind == AttrKind::Order)
      s += " order " + std::string(orderText(MemoryOrdering(attr->i)));
    else if (spec.key == AttrKey::Count)
      s += " count " + std::to_string(attr->i);
    else if (spec.kind == AttrKind::Scope)
      s += " scope " + std::string(scopeText(MemoryScope(attr->i)));
    else if (spec.kind == AttrKind::Text && info.rule == Rule::Assert)
      s += ", " + quotedText(attr->text);
    else if (spec.kind == AttrKind::Flag)
      s += " " + std::string(attrInfo(int32_t(attr->key))->text);
    else if (spec.kind == AttrKind::Ints)
      s += " " + std::string(attrInfo(int32_t(spec.key))->text) + " " + integersText(attr->list);
    else if (spec.key == AttrKey::Pad)
      s += " pad " + numberText(*attr, dtype);
    else if (spec.key == AttrKey::Dims)
      suffix = " : " + dimsText(*attr, dtype);
    else if (spec.key == AttrKey::DType && suffix.empty())
      suffix = " : " + std::string(dtypeText(dtype));
  }
  return s + suffix;
}

} // namespace tl
