// The generator of what follows from ops.def: the C helpers, the reference of operations, and the
// table for bindings. `tl-gen KIND` prints one of them.
#pragma once

#include "graph/opcode.h"

#include <string>
#include <vector>

namespace tl::gen {

/// include/tilelang/ops.h
std::string operationsHeader();
/// docs/tile_ir.md
std::string referencePage();
/// share/tilelang/ops.json
std::string operationsJson();

/// "PROGRAM_ID" for "program_id".
std::string upper(std::string_view text);
/// Breaks `text` at spaces so that no line is longer than `width`; every line begins with `prefix`.
std::string wrap(std::string_view text, std::string_view prefix, size_t width);
/// How result types follow, as a sentence or two.
std::string_view ruleText(Rule rule);
/// "num", "itile": the word of ops.def for an operand class.
std::string_view className(OperandClass cls);
/// The class in words: "a tile of floats".
std::string classText(const OperandSpec &spec);
/// "int", "number", ...: the kind of an attribute.
std::string_view kindName(AttrKind kind);
/// "Pure", "Read", "Write", "Control".
std::string_view effectName(Effect effect);
/// False for operations that only write or end a region.
bool hasResult(const OpInfo &op);
/// Of an operation without regions.
/// As many results as operands, each of the type of its operand.
bool resultPerOperand(const OpInfo &op);
unsigned resultCount(const OpInfo &op);
/// How the operation is written in the text form.
std::string textForm(const OpInfo &op);
/// Groups in the order of ops.def.
std::vector<std::string_view> groups();
/// "Compare and choose" for "Compare".
std::string_view groupTitle(std::string_view group);

} // namespace tl::gen
