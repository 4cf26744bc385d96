#include "emu/random_ir.h"

#include "codegen/llvm/target_machine.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <array>
#include <random>
#include <set>

namespace tl::test {

using namespace llvm;
using IrValue = llvm::Value;

unsigned slotBytes(SlotType type) {
  constexpr unsigned bytes[] = {1, 2, 4, 8, 2, 4, 8};
  return bytes[size_t(type)];
}

namespace {

constexpr unsigned kPrivateWords = 16;

class Generator {
public:
  Generator(Module &module, Machine machine, const RandomOptions &options)
      : module(module), context(module.getContext()), ir(context), machine(machine),
        options(options), random(options.seed) {
    i1 = ir.getInt1Ty(), i8 = ir.getInt8Ty(), i16 = ir.getInt16Ty(), i32 = ir.getInt32Ty();
    i64 = ir.getInt64Ty(), f16 = ir.getHalfTy(), f32 = ir.getFloatTy(), f64 = ir.getDoubleTy();
    h2 = FixedVectorType::get(f16, 2), s2 = FixedVectorType::get(i16, 2);
    f2 = FixedVectorType::get(f32, 2);
    integers = {i8, i16, i32, i64, s2};
    floats = {f16, f32, f64, h2, f2};
  }

  RandomKernel run() {
    makeFunction();
    for (unsigned step = 0; step < options.steps; ++step)
      statement(0);
    storeEverything();
    ir.CreateBr(exit);
    ir.SetInsertPoint(exit);
    ir.CreateRetVoid();
    return {function, slots};
  }

private:
  // --- choices -------------------------------------------------------------------------------
  unsigned below(unsigned n) { return unsigned(random() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class C> auto pick(const C &choices) {
    return choices[below(unsigned(choices.size()))];
  }

  /// A value of a type: an earlier one, or a constant.
  IrValue *any(Type *type) {
    std::vector<IrValue *> found;
    // While a step is uniform it reads nothing that differs between threads.
    for (IrValue *v : uniform)
      if (v->getType() == type)
        found.push_back(v);
    if (!uniformStep)
      for (IrValue *v : values)
        if (v->getType() == type)
          found.push_back(v);
    if (found.empty() || chance(8))
      return constant(type);
    // Recent ones are likelier, so that chains become long.
    size_t n = found.size();
    return chance(60) ? found[n - 1 - below(unsigned(std::min<size_t>(n, 6)))] : pick(found);
  }

  /// For conditions: those of a whole wave and those of single threads are different code.
  IrValue *anyMaybeUniform(Type *type) {
    uniformStep = chance(40);
    IrValue *value = any(type);
    uniformStep = false;
    return value;
  }

  IrValue *keep(IrValue *value) {
    (uniformStep ? uniform : values).push_back(value);
    return value;
  }

  Constant *constant(Type *type) {
    if (auto *vector = dyn_cast<FixedVectorType>(type)) {
      std::vector<Constant *> parts;
      for (unsigned i = 0; i < vector->getNumElements(); ++i)
        parts.push_back(constant(vector->getElementType()));
      return ConstantVector::get(parts);
    }
    if (type->isIntegerTy()) {
      unsigned bits = type->getIntegerBitWidth();
      const uint64_t edges[] = {
          0,  1,   ~uint64_t(0), 2, 3, uint64_t(1) << (bits - 1), (uint64_t(1) << (bits - 1)) - 1,
          64, 255, 65535};
      uint64_t value = chance(50) ? edges[below(10)] : random();
      // LLVM 22 takes 0x8000 in the upper half of a pair with a variable lower half for a 0.
      if (bits == 16 && uint16_t(value) == 0x8000)
        value = 0x8001;
      return ConstantInt::get(type, APInt(64, value).trunc(bits));
    }
    const double edges[] = {
        0.0, type->isHalfTy() ? 0.0 : -0.0, 1.0, -1.0, 0.5, 2.0, 1e-7, 65504.0, 6e-8, 3.0};
    if (chance(10))
      return ConstantFP::getInfinity(type, chance(50));
    return ConstantFP::get(type,
                           chance(50) ? edges[below(10)] : double(int(below(2000)) - 1000) / 16);
  }

  // --- the function and its surroundings -----------------------------------------------------
  Type *pointer(unsigned space) {
    return PointerType::get(context, machine == Machine::Amdgpu ? space : 0);
  }

  void makeFunction() {
    std::vector<Type *> parameters = {pointer(1), pointer(1), i32, i64, f32, i32};
    if (machine == Machine::Host)
      parameters.insert(parameters.end(), {i32, i32, pointer(3)});
    auto *type = FunctionType::get(ir.getVoidTy(), parameters, false);
    function = Function::Create(type, GlobalValue::ExternalLinkage, "kernel", module);
    addCommonAttributes(*function);
    ir.SetInsertPoint(BasicBlock::Create(context, "entry", function));
    IrValue *thread, *group;
    if (machine == Machine::Amdgpu) {
      function->setCallingConv(CallingConv::AMDGPU_KERNEL);
      function->setVisibility(GlobalValue::ProtectedVisibility);
      std::string size = std::to_string(options.threads);
      function->addFnAttr("amdgpu-flat-work-group-size", size + "," + size);
      thread = ir.CreateIntrinsic(i32, Intrinsic::amdgcn_workitem_id_x, {});
      group = ir.CreateIntrinsic(i32, Intrinsic::amdgcn_workgroup_id_x, {});
      auto *array = ArrayType::get(i8, uint64_t(options.threads) * kLdsBytes);
      auto *shared = new GlobalVariable(module, array, false, GlobalValue::InternalLinkage,
                                        PoisonValue::get(array), "lds", nullptr,
                                        GlobalValue::NotThreadLocal, 3);
      shared->setAlignment(Align(16));
      lds = ir.CreateGEP(i8, shared, ir.CreateMul(thread, ir.getInt32(kLdsBytes)));
    } else {
      thread = function->getArg(6), group = function->getArg(7);
      lds = ir.CreateGEP(i8, function->getArg(8),
                         ir.CreateZExt(ir.CreateMul(thread, ir.getInt32(kLdsBytes)), i64));
    }
    IrValue *number = ir.CreateAdd(ir.CreateMul(group, ir.getInt32(options.threads)), thread);
    IrValue *wide = ir.CreateZExt(number, i64);
    in = ir.CreateGEP(i8, function->getArg(0), ir.CreateMul(wide, ir.getInt64(kInputBytes)));
    out = ir.CreateGEP(i8, function->getArg(1), ir.CreateMul(wide, ir.getInt64(kOutputBytes)));
    global = ir.CreateGEP(i8, out, ir.getInt64(kOutputBytes - kScratchBytes));
    privateWords = ir.CreateAlloca(ArrayType::get(i32, kPrivateWords));
    if (machine == Machine::Amdgpu)
      ldsIndexType = privateIndexType = i32;
    else
      ldsIndexType = privateIndexType = i64;

    auto *body = BasicBlock::Create(context, "body", function);
    exit = BasicBlock::Create(context, "exit", function);
    ir.CreateCondBr(ir.CreateICmpULT(number, function->getArg(5)), body, exit);
    ir.SetInsertPoint(body);
    for (unsigned i = 0; i < kPrivateWords; ++i)
      ir.CreateStore(ir.getInt32(i * 77), privatePlace(ir.getInt32(i)));
    for (unsigned i = 0; i < kLdsBytes; i += 4)
      ir.CreateStore(ir.getInt32(i * 13), ldsPlace(ir.getInt32(i)));
    uniform = {function->getArg(2), function->getArg(3), function->getArg(4), group};
    values = {thread, number};
    given.insert(uniform.begin(), uniform.end());
    given.insert(thread);
    for (unsigned i = 0; i < 10; ++i)
      load();
  }

  IrValue *privatePlace(IrValue *index) {
    return ir.CreateGEP(i32, privateWords, ir.CreateZExtOrTrunc(index, privateIndexType));
  }
  IrValue *ldsPlace(IrValue *bytes) {
    return ir.CreateGEP(i8, lds, ir.CreateZExtOrTrunc(bytes, ldsIndexType));
  }

  // --- statements ----------------------------------------------------------------------------
  void statement(unsigned depth) {
    uniformStep = uniformBlock(depth) && chance(25);
    unsigned kind = below(100);
    if (kind < 26)
      integerOperation();
    else if (kind < 50)
      floatOperation();
    else if (kind < 62)
      conversion();
    else if (kind < 70)
      comparison();
    else if (kind < 75)
      rearrange();
    else if (uniformStep)
      integerOperation();
    else if (kind < 81)
      load();
    else if (kind < 85)
      privateAccess();
    else if (kind < 89)
      ldsAccess();
    else if (kind < 93)
      atomic();
    else if (depth < 2 && kind < 97)
      branch(depth);
    else if (depth < 2)
      loop(depth);
    else
      integerOperation();
    uniformStep = false;
  }

  /// Values that are made under a condition of one thread are not the same for all.
  bool uniformBlock(unsigned depth) const { return depth == 0; }

  void integerOperation() {
    Type *type = pick(integers);
    IrValue *a = any(type), *b = any(type);
    unsigned bits = type->getScalarSizeInBits();
    auto masked = [&](IrValue *amount) {
      return ir.CreateAnd(amount, ConstantInt::get(type, bits - 1));
    };
    auto binary = [&](Intrinsic::ID id) { return ir.CreateBinaryIntrinsic(id, a, b); };
    switch (below(30)) {
    case 0:
      keep(ir.CreateAdd(a, b));
      break;
    case 1:
      keep(ir.CreateSub(a, b));
      break;
    case 2:
      keep(ir.CreateMul(a, b));
      break;
    case 3:
      keep(ir.CreateAnd(a, b));
      break;
    case 4:
      keep(ir.CreateOr(a, b));
      break;
    case 5:
      keep(ir.CreateXor(a, b));
      break;
    case 6:
      keep(ir.CreateShl(a, masked(b)));
      break;
    case 7:
      keep(ir.CreateLShr(a, masked(b)));
      break;
    case 8:
      keep(ir.CreateAShr(a, masked(b)));
      break;
    case 9:
    case 10:
    case 11:
    case 12:
      keep(divide(a, b, type));
      break;
    case 13:
      keep(binary(Intrinsic::smin));
      break;
    case 14:
      keep(binary(Intrinsic::smax));
      break;
    case 15:
      keep(binary(Intrinsic::umin));
      break;
    case 16:
      keep(binary(Intrinsic::umax));
      break;
    case 17:
      keep(binary(Intrinsic::uadd_sat));
      break;
    case 18:
      keep(binary(Intrinsic::ssub_sat));
      break;
    case 19:
      keep(binary(Intrinsic::sadd_sat));
      break;
    case 20:
      keep(binary(Intrinsic::usub_sat));
      break;
    case 21:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::ctpop, a));
      break;
    case 22:
      keep(ir.CreateBinaryIntrinsic(Intrinsic::ctlz, a, ir.getFalse()));
      break;
    case 23:
      keep(ir.CreateBinaryIntrinsic(Intrinsic::cttz, a, ir.getFalse()));
      break;
    case 24:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::bitreverse, a));
      break;
    case 25:
      keep(bits > 8 ? ir.CreateUnaryIntrinsic(Intrinsic::bswap, a) : ir.CreateNot(a));
      break;
    case 26:
      keep(ir.CreateIntrinsic(type, chance(50) ? Intrinsic::fshl : Intrinsic::fshr,
                              {a, b, any(type)}));
      break;
    case 27:
      keep(ir.CreateBinaryIntrinsic(Intrinsic::abs, a, ir.getFalse()));
      break;
    case 28:
      keep(highProduct(a, b, type));
      break;
    default:
      keep(overflow(a, b, type));
      break;
    }
  }

  /// Division with what is undefined taken out: a divisor of 0, and the least number by -1.
  IrValue *divide(IrValue *a, IrValue *b, Type *type) {
    bool isSigned = chance(50), remainder = chance(50);
    Constant *zero = Constant::getNullValue(type), *one = ConstantInt::get(type, 1);
    IrValue *bad = ir.CreateICmpEQ(b, zero);
    if (isSigned)
      bad = ir.CreateOr(bad, ir.CreateICmpEQ(b, Constant::getAllOnesValue(type)));
    b = ir.CreateSelect(bad, one, b);
    if (remainder)
      return isSigned ? ir.CreateSRem(a, b) : ir.CreateURem(a, b);
    return isSigned ? ir.CreateSDiv(a, b) : ir.CreateUDiv(a, b);
  }

  IrValue *highProduct(IrValue *a, IrValue *b, Type *type) {
    if (type->isVectorTy())
      return ir.CreateMul(a, b);
    unsigned bits = type->getIntegerBitWidth();
    Type *wide = ir.getIntNTy(2 * bits);
    bool isSigned = chance(50);
    auto widen = [&](IrValue *v) {
      return isSigned ? ir.CreateSExt(v, wide) : ir.CreateZExt(v, wide);
    };
    IrValue *product = ir.CreateMul(widen(a), widen(b));
    return ir.CreateTrunc(ir.CreateLShr(product, uint64_t(bits)), type);
  }

  IrValue *overflow(IrValue *a, IrValue *b, Type *type) {
    if (type->isVectorTy())
      return ir.CreateSub(b, a);
    const Intrinsic::ID ids[] = {Intrinsic::uadd_with_overflow, Intrinsic::sadd_with_overflow,
                                 Intrinsic::usub_with_overflow, Intrinsic::ssub_with_overflow,
                                 Intrinsic::umul_with_overflow};
    IrValue *both = ir.CreateBinaryIntrinsic(ids[below(5)], a, b);
    keep(ir.CreateExtractValue(both, 1));
    return ir.CreateExtractValue(both, 0);
  }

  void floatOperation() {
    Type *type = pick(floats);
    IrValue *a = any(type), *b = any(type);
    bool half = type->getScalarType()->isHalfTy();
    switch (below(20)) {
    case 0:
    case 1:
      keep(ir.CreateFAdd(a, b));
      break;
    case 2:
      keep(ir.CreateFSub(a, b));
      break;
    case 3:
    case 4:
      keep(ir.CreateFMul(a, b));
      break;
    case 5:
    case 6:
      keep(ir.CreateFDiv(a, b));
      break;
    case 7:
      keep(ir.CreateFNeg(a));
      break;
    case 8:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::fabs, a));
      break;
    case 9:
      keep(ir.CreateBinaryIntrinsic(Intrinsic::copysign, a, withoutNan(b)));
      break;
    case 10:
      keep(ir.CreateBinaryIntrinsic(Intrinsic::minimum, a, b));
      break;
    case 11:
      keep(ir.CreateBinaryIntrinsic(Intrinsic::maximum, a, b));
      break;
    case 12:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::floor, a));
      break;
    case 13:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::ceil, a));
      break;
    case 14:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::trunc, a));
      break;
    case 15:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::rint, a));
      break;
    case 16:
      keep(ir.CreateUnaryIntrinsic(Intrinsic::sqrt, a));
      break;
    case 17:
    case 18:
      // The host has no half fma of its own: a float one would round twice.
      keep(half ? ir.CreateFSub(b, a)
                : ir.CreateIntrinsic(type, Intrinsic::fma, {a, b, any(type)}));
      break;
    default:
      keep(ir.CreateFMul(ir.CreateFNeg(a), ir.CreateUnaryIntrinsic(Intrinsic::fabs, b)));
      break;
    }
  }

  /// The sign and payload of a NaN may differ between machines.
  IrValue *withoutNan(IrValue *value) {
    return ir.CreateSelect(ir.CreateFCmpUNO(value, value), ConstantFP::get(value->getType(), 1.5),
                           value);
  }

  /// LLVM 22 makes v_fma_mixlo_f16 with an addend of +0 of a product that is rounded to half, which
  /// loses the sign of -0: an empty line of assembly keeps the two apart.
  IrValue *keepProductApart(IrValue *value) {
    if (machine == Machine::Host)
      return value;
    auto *type = FunctionType::get(f32, {f32}, false);
    return ir.CreateCall(InlineAsm::get(type, "", "=v,0", false), {value});
  }

  void conversion() {
    switch (below(8)) {
    case 0: { // between widths of integers
      Type *from = pick(std::array{i1, i8, i16, i32, i64}),
           *to = pick(std::array{i8, i16, i32, i64});
      keep(chance(50) ? ir.CreateSExtOrTrunc(any(from), to) : ir.CreateZExtOrTrunc(any(from), to));
      break;
    }
    case 1:
    case 2: { // integer to float
      Type *from = pick(std::array{i8, i16, i32, i64}), *to = pick(std::array{f16, f32, f64});
      IrValue *v = any(from);
      if (to == f16 && from != i8) // through float, so that the host rounds once and the same
        v = ir.CreateSExtOrTrunc(v, i16);
      IrValue *r = chance(50) ? ir.CreateSIToFP(v, to == f16 ? f32 : to)
                              : ir.CreateUIToFP(v, to == f16 ? f32 : to);
      keep(to == f16 ? ir.CreateFPTrunc(r, f16) : r);
      break;
    }
    case 3:
    case 4: { // float to integer, saturating
      Type *from = pick(std::array{f16, f32, f64}), *to = pick(std::array{i8, i16, i32, i64});
      auto id = chance(50) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
      keep(ir.CreateIntrinsic(id, {to, from}, {any(from)}));
      break;
    }
    case 5:
      keep(ir.CreateFPExt(any(f16), f32));
      break;
    case 6:
      keep(chance(50) ? ir.CreateFPTrunc(keepProductApart(any(f32)), f16)
                      : ir.CreateFPTrunc(any(f64), f32));
      break;
    default:
      if (chance(50))
        keep(ir.CreateFPExt(any(f32), f64));
      else
        bits();
      break;
    }
  }

  void bits() {
    const std::pair<Type *, Type *> pairs[] = {
        {f16, i16}, {f32, i32}, {f64, i64}, {h2, i32}, {s2, i32}};
    auto [from, to] = pairs[below(5)];
    if (from->isFPOrFPVectorTy() && chance(60))
      keep(ir.CreateBitCast(withoutNan(any(from)), to));
    else if (!from->isFPOrFPVectorTy())
      keep(chance(50) ? ir.CreateBitCast(any(from), to) : ir.CreateBitCast(any(to), from));
    else // the bits may be a NaN's: they are not looked at again
      keep(ir.CreateBitCast(any(to), from));
  }

  void comparison() {
    IrValue *condition;
    if (chance(50)) {
      Type *type = pick(std::array{i8, i16, i32, i64});
      auto predicate = CmpInst::Predicate(CmpInst::FIRST_ICMP_PREDICATE + below(10));
      condition = ir.CreateICmp(predicate, any(type), any(type));
    } else {
      Type *type = pick(std::array{f16, f32, f64});
      auto predicate = CmpInst::Predicate(CmpInst::FCMP_OEQ + below(14));
      condition = ir.CreateFCmp(predicate, any(type), any(type));
    }
    if (chance(30))
      condition = ir.CreateXor(condition, any(i1));
    keep(condition);
    Type *type = chance(50) ? pick(integers) : pick(floats);
    keep(ir.CreateSelect(condition, any(type), any(type)));
  }

  void rearrange() {
    Type *type = pick(std::array<Type *, 3>{h2, s2, f2});
    Type *element = cast<FixedVectorType>(type)->getElementType();
    switch (below(3)) {
    case 0:
      keep(ir.CreateExtractElement(any(type), uint64_t(below(2))));
      break;
    case 1:
      keep(ir.CreateInsertElement(any(type), any(element), uint64_t(below(2))));
      break;
    default:
      keep(ir.CreateShuffleVector(any(type), any(type),
                                  ArrayRef<int>{int(below(4)), int(below(4))}));
    }
  }

  // --- memory --------------------------------------------------------------------------------
  void load() {
    bool was = std::exchange(uniformStep, false);
    Type *type = chance(50) ? pick(integers) : pick(floats);
    unsigned bytes = type->getPrimitiveSizeInBits() / 8, places = kInputBytes / bytes;
    IrValue *place;
    if (chance(70) || values.size() < 5) {
      place = ir.CreateGEP(i8, in, ir.getInt64(below(places) * bytes));
    } else {
      IrValue *index = ir.CreateAnd(any(i32), ir.getInt32(places - 1));
      place = ir.CreateGEP(i8, in, ir.CreateMul(ir.CreateZExt(index, i64), ir.getInt64(bytes)));
    }
    keep(ir.CreateAlignedLoad(type, place, Align(bytes)));
    uniformStep = was;
  }

  void privateAccess() {
    IrValue *place = privatePlace(ir.CreateAnd(any(i32), ir.getInt32(kPrivateWords - 1)));
    if (chance(50))
      ir.CreateStore(any(i32), place);
    else
      keep(ir.CreateLoad(i32, place));
  }

  void ldsAccess() {
    Type *type = pick(std::array<Type *, 6>{i8, i16, i32, i64, s2, i32});
    unsigned bytes = type->getPrimitiveSizeInBits() / 8;
    IrValue *index = ir.CreateAnd(any(i32), ir.getInt32(kLdsBytes / bytes - 1));
    IrValue *place = ldsPlace(ir.CreateMul(index, ir.getInt32(bytes)));
    if (chance(50))
      ir.CreateAlignedStore(any(type), place, Align(bytes));
    else
      keep(ir.CreateAlignedLoad(type, place, Align(bytes)));
  }

  /// On memory of this thread, so that the order is known.
  void atomic() {
    Type *type = chance(60) ? i32 : i64;
    unsigned bytes = type == i32 ? 4 : 8;
    bool shared = chance(40);
    unsigned size = shared ? kLdsBytes : kScratchBytes;
    IrValue *offset =
        ir.CreateMul(ir.CreateAnd(any(i32), ir.getInt32(size / bytes - 1)), ir.getInt32(bytes));
    IrValue *place =
        shared ? ldsPlace(offset) : ir.CreateGEP(i8, global, ir.CreateZExt(offset, i64));
    auto scope = machine == Machine::Amdgpu ? context.getOrInsertSyncScopeID("agent")
                                            : SyncScope::ID(SyncScope::System);
    if (chance(20)) {
      auto *both =
          ir.CreateAtomicCmpXchg(place, any(type), any(type), Align(bytes),
                                 AtomicOrdering::Monotonic, AtomicOrdering::Monotonic, scope);
      keep(ir.CreateExtractValue(both, 0));
      keep(ir.CreateExtractValue(both, 1));
      return;
    }
    using Op = AtomicRMWInst;
    const Op::BinOp ops[] = {Op::Xchg, Op::Add, Op::Sub, Op::And,  Op::Or,
                             Op::Xor,  Op::Max, Op::Min, Op::UMax, Op::UMin};
    IrValue *old = ir.CreateAtomicRMW(ops[below(10)], place, any(type), Align(bytes),
                                      AtomicOrdering::Monotonic, scope);
    if (chance(70))
      keep(old);
  }

  // --- control -------------------------------------------------------------------------------
  struct Mark {
    size_t values, uniform;
  };
  Mark mark() const { return {values.size(), uniform.size()}; }
  void forget(Mark mark) {
    values.resize(mark.values);
    uniform.resize(mark.uniform);
  }

  void branch(unsigned depth) {
    IrValue *condition = anyMaybeUniform(i1);
    Type *type = chance(50) ? pick(integers) : pick(floats);
    auto *yes = BasicBlock::Create(context, "then", function),
         *no = BasicBlock::Create(context, "else", function);
    auto *join = BasicBlock::Create(context, "join", function);
    ir.CreateCondBr(condition, yes, no);
    Mark before = mark();
    auto side = [&](BasicBlock *block) {
      ir.SetInsertPoint(block);
      for (unsigned n = 1 + below(5); n > 0; --n)
        statement(depth + 1);
      IrValue *result = any(type);
      forget(before);
      auto end = std::pair(result, ir.GetInsertBlock());
      ir.CreateBr(join);
      return end;
    };
    auto left = side(yes), right = side(no);
    ir.SetInsertPoint(join);
    PHINode *phi = ir.CreatePHI(type, 2);
    phi->addIncoming(left.first, left.second);
    phi->addIncoming(right.first, right.second);
    values.push_back(phi);
  }

  void loop(unsigned depth) {
    IrValue *count = ir.CreateAnd(anyMaybeUniform(i32), ir.getInt32(3));
    Type *type = chance(50) ? pick(integers) : pick(floats);
    IrValue *start = any(type);
    BasicBlock *from = ir.GetInsertBlock();
    auto *head = BasicBlock::Create(context, "loop", function),
         *body = BasicBlock::Create(context, "round", function);
    auto *end = BasicBlock::Create(context, "after", function);
    ir.CreateBr(head);
    ir.SetInsertPoint(head);
    PHINode *round = ir.CreatePHI(i32, 2), *carried = ir.CreatePHI(type, 2);
    round->addIncoming(ir.getInt32(0), from);
    carried->addIncoming(start, from);
    ir.CreateCondBr(ir.CreateICmpULT(round, count), body, end);
    ir.SetInsertPoint(body);
    Mark before = mark();
    values.push_back(round);
    values.push_back(carried);
    for (unsigned n = 1 + below(5); n > 0; --n)
      statement(depth + 1);
    IrValue *next = any(type);
    forget(before);
    carried->addIncoming(next, ir.GetInsertBlock());
    round->addIncoming(ir.CreateAdd(round, ir.getInt32(1)), ir.GetInsertBlock());
    ir.CreateBr(head);
    ir.SetInsertPoint(end);
    values.push_back(carried);
  }

  // --- the results ---------------------------------------------------------------------------
  void storeEverything() {
    unsigned offset = 0;
    auto put = [&](IrValue *value) {
      Type *type = value->getType();
      SlotType slot = type->isHalfTy()        ? SlotType::F16
                      : type->isFloatTy()     ? SlotType::F32
                      : type->isDoubleTy()    ? SlotType::F64
                      : type->isIntegerTy(8)  ? SlotType::I8
                      : type->isIntegerTy(16) ? SlotType::I16
                      : type->isIntegerTy(32) ? SlotType::I32
                                              : SlotType::I64;
      unsigned bytes = slotBytes(slot);
      offset = (offset + bytes - 1) / bytes * bytes;
      if (offset + bytes > kOutputBytes - kScratchBytes)
        return;
      ir.CreateAlignedStore(value, ir.CreateGEP(i8, out, ir.getInt64(offset)), Align(bytes));
      slots.push_back({slot, offset});
      offset += bytes;
    };
    values.insert(values.end(), uniform.begin(), uniform.end());
    for (IrValue *value : values) {
      if (given.contains(value))
        continue;
      if (value->getType()->isIntegerTy(1)) {
        put(ir.CreateZExt(value, i8));
      } else if (value->getType()->isVectorTy()) {
        for (uint64_t i = 0; i < 2; ++i)
          put(ir.CreateExtractElement(value, i));
      } else {
        put(value);
      }
    }
    for (unsigned i = 0; i < kPrivateWords; ++i)
      put(ir.CreateLoad(i32, privatePlace(ir.getInt32(i))));
    for (unsigned i = 0; i < kLdsBytes; i += 4)
      put(ir.CreateLoad(i32, ldsPlace(ir.getInt32(i))));
    for (unsigned i = 0; i < kScratchBytes; i += 4)
      slots.push_back({SlotType::I32, kOutputBytes - kScratchBytes + i});
  }

  Module &module;
  LLVMContext &context;
  IRBuilder<> ir;
  Machine machine;
  RandomOptions options;
  std::mt19937_64 random;
  Function *function = nullptr;
  BasicBlock *exit = nullptr;
  IrValue *in = nullptr, *out = nullptr, *global = nullptr, *lds = nullptr, *privateWords = nullptr;
  Type *ldsIndexType = nullptr, *privateIndexType = nullptr;
  Type *i1, *i8, *i16, *i32, *i64, *f16, *f32, *f64, *h2, *s2, *f2;
  std::array<Type *, 5> integers, floats;
  std::vector<IrValue *> values, uniform; // that may be used here
  std::set<IrValue *> given;              // what the function starts with
  bool uniformStep = false;
  std::vector<OutputSlot> slots;
};

} // namespace

RandomKernel makeRandomKernel(Module &module, Machine machine, const RandomOptions &options) {
  return Generator(module, machine, options).run();
}

} // namespace tl::test
