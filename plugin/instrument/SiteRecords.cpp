// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/SiteRecords.h"

#include "runtime/abi/sled_record.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace qdadvise;

namespace {

constexpr llvm::StringLiteral sectionName = "qdadvise_sites";

/// The registration runs before the constructors of the program, which may take locks, and after
/// its destructors. The lowest priorities are the implementation's.
constexpr int registrationPriority = 90;

constexpr llvm::StringLiteral sectionBegin = "__start_qdadvise_sites";

/// One end of the section, which the linker defines in each executable or
/// shared object; the program may have declared it for itself.
llvm::GlobalVariable *sectionEnd(llvm::Module &module, llvm::StringRef name) {
  if (llvm::GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto *end = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                       llvm::GlobalValue::ExternalWeakLinkage, nullptr, name);
  end->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return end;
}

/// A function that passes the section's ends to `runtimeFunction` if the program
/// has a runtime. One for each executable or shared object, whatever the number
/// of its object files.
llvm::Function *createRegistration(llvm::Module &module, llvm::StringRef name,
                                   llvm::StringRef runtimeFunction, llvm::Constant *begin,
                                   llvm::Constant *end) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *nothing = llvm::Type::getVoidTy(context);
  auto *runtimeType = llvm::FunctionType::get(nothing, {pointer, pointer}, /*isVarArg=*/false);
  auto *runtime = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(runtimeFunction, runtimeType).getCallee());
  if (runtime->isDeclaration())
    runtime->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);

  auto *function = llvm::Function::createWithDefaultAttr(
      llvm::FunctionType::get(nothing, /*isVarArg=*/false), llvm::GlobalValue::LinkOnceODRLinkage,
      module.getDataLayout().getProgramAddressSpace(), name, &module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setComdat(module.getOrInsertComdat(name));
  function->setDoesNotThrow();

  auto *entry = llvm::BasicBlock::Create(context, "", function);
  auto *call = llvm::BasicBlock::Create(context, "call", function);
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  llvm::IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateIsNotNull(runtime), call, done);
  builder.SetInsertPoint(call);
  builder.CreateCall(runtimeType, runtime, {begin, end});
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  return function;
}

/// Passes XRay's functions on to the runtime, which cannot see them from a shared
/// library of its own.
void registerXRay(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *anyFunction = llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false);
  llvm::SmallVector<llvm::Constant *, xrayFunctionCount> functions;
  for (const char *name : xrayFunctionNames) {
    auto *function =
        llvm::cast<llvm::GlobalValue>(module.getOrInsertFunction(name, anyFunction).getCallee());
    if (function->isDeclaration())
      function->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    functions.push_back(function);
  }
  auto *type = llvm::ArrayType::get(pointer, xrayFunctionCount);
  constexpr llvm::StringLiteral name = "__qdadvise_xray_functions";
  auto *table = new llvm::GlobalVariable(module, type, /*isConstant=*/true,
                                         llvm::GlobalValue::LinkOnceODRLinkage,
                                         llvm::ConstantArray::get(type, functions), name);
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  table->setComdat(module.getOrInsertComdat(name));
  auto *end = llvm::ConstantExpr::getInBoundsGetElementPtr(
      type, table,
      llvm::ArrayRef<llvm::Constant *>{llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), 1)});
  llvm::Function *constructor =
      createRegistration(module, "__qdadvise_register_xray", "__qdadvise_xray", table, end);
  llvm::appendToGlobalCtors(module, constructor, registrationPriority - 1, constructor);
}

/// The code of this executable or shared object that the runtime may change.
void registerSleds(llvm::Module &module) {
  const std::string section = sledSectionName;
  llvm::Constant *begin = sectionEnd(module, "__start_" + section);
  llvm::Constant *end = sectionEnd(module, "__stop_" + section);
  llvm::Function *constructor = createRegistration(module, "__qdadvise_register_object_sled_table",
                                                   "__qdadvise_register_sled_table", begin, end);
  llvm::Function *destructor = createRegistration(module, "__qdadvise_unregister_object_sled_table",
                                                  "__qdadvise_unregister_sled_table", begin, end);
  llvm::appendToGlobalCtors(module, constructor, registrationPriority + 1, constructor);
  llvm::appendToGlobalDtors(module, destructor, registrationPriority + 1, destructor);
}

void registerSection(llvm::Module &module) {
  llvm::Constant *begin = sectionEnd(module, sectionBegin);
  llvm::Constant *end = sectionEnd(module, "__stop_qdadvise_sites");
  llvm::Function *constructor =
      createRegistration(module, "__qdadvise_register_object", "__qdadvise_register", begin, end);
  llvm::Function *destructor = createRegistration(module, "__qdadvise_unregister_object",
                                                  "__qdadvise_unregister", begin, end);
  llvm::appendToGlobalCtors(module, constructor, registrationPriority, constructor);
  llvm::appendToGlobalDtors(module, destructor, registrationPriority, destructor);
}

} // namespace

std::unique_ptr<Site> SiteRecords::declare(llvm::StringRef key, SiteDescription description) {
  auto site = std::make_unique<Site>();
  site->description = std::move(description);
  site->hash = llvm::xxh3_64bits(key);

  const std::string name = "__qdadvise_site_" + llvm::utohexstr(site->hash, /*LowerCase=*/true);
  site->record = new llvm::GlobalVariable(module, recordType(), /*isConstant=*/false,
                                          llvm::GlobalValue::LinkOnceODRLinkage, nullptr, name);
  site->record->setVisibility(llvm::GlobalValue::HiddenVisibility);
  site->record->setComdat(module.getOrInsertComdat(name));
  site->record->setSection(sectionName);
  // Neither padding nor a red zone may come between two records.
  site->record->setAlignment(llvm::Align(alignof(SiteRecord)));
  llvm::GlobalValue::SanitizerMetadata unsanitized;
  unsanitized.NoAddress = true;
  unsanitized.NoHWAddress = true;
  site->record->setSanitizerMetadata(unsanitized);
  return site;
}

llvm::StructType *SiteRecords::recordType() {
  llvm::LLVMContext &context = module.getContext();
  auto *word = llvm::Type::getInt32Ty(context);
  auto *wide = llvm::Type::getInt64Ty(context);
  auto *pointer = llvm::PointerType::getUnqual(context);
  llvm::SmallVector<llvm::Type *, 20> fields(10, word);
  fields.push_back(wide);
  fields.append(2, word);
  fields.append(6, pointer);
  fields.push_back(llvm::ArrayType::get(pointer, instantCount));
  return llvm::StructType::get(context, fields);
}

llvm::Constant *SiteRecords::string(const std::string &text) {
  llvm::Constant *&known = strings[text];
  if (!known) {
    auto *bytes = llvm::ConstantDataArray::getString(module.getContext(), text);
    auto *variable =
        new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, bytes, "qdadvise.str");
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(llvm::Align(1));
    known = variable;
  }
  return known;
}

llvm::Constant *SiteRecords::contents(const Site &site) {
  llvm::LLVMContext &context = module.getContext();
  auto word = [&](std::uint32_t value) -> llvm::Constant * {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  };
  auto wide = [&](std::uint64_t value) -> llvm::Constant * {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
  };
  auto *pointer = llvm::PointerType::getUnqual(context);
  llvm::SmallVector<llvm::Constant *, instantCount> thunks;
  for (llvm::Constant *thunk : site.thunks)
    thunks.push_back(thunk ? thunk : llvm::ConstantPointerNull::get(pointer));

  const SiteDescription &description = site.description;
  return llvm::ConstantStruct::get(
      recordType(),
      {word(siteRecordVersion),
       word(static_cast<std::uint32_t>(description.role)),
       word(static_cast<std::uint32_t>(description.kind)),
       word(description.flags | flags),
       word(description.line),
       word(description.column),
       word(description.ordinal),
       word(description.declLine),
       word(description.declColumn),
       word(0),
       wide(description.sectionHash),
       word(static_cast<std::uint32_t>(description.facts)),
       word(1),
       string(description.file),
       string(description.function),
       string(description.expression),
       string(description.lockName),
       string(description.lockType),
       string(description.declFile),
       llvm::ConstantArray::get(llvm::ArrayType::get(pointer, instantCount), thunks)});
}

llvm::Constant *qdadvise::hooksOn(llvm::Module &module) {
  llvm::GlobalVariable *first = sectionEnd(module, sectionBegin);
  // Hooks have records, so that the section is there: no need to ask the global offset table.
  first->setDSOLocal(true);
  auto *offset = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()),
                                        offsetof(SiteRecord, hooksOn));
  // The module owns the record. NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
  return llvm::ConstantExpr::getInBoundsGetElementPtr(llvm::Type::getInt8Ty(module.getContext()),
                                                      first, offset);
}

bool SiteRecords::finish(bool hasSleds) {
  if (sites.empty())
    return false;
  llvm::SmallVector<llvm::GlobalValue *, 16> records;
  bool hasThunks = false;
  for (auto &[key, site] : sites) {
    hasThunks |= site->description.role != SiteRole::threadStart &&
                 llvm::any_of(site->thunks, [](auto *thunk) { return thunk != nullptr; });
    site->record->setInitializer(contents(*site));
    records.push_back(site->record);
  }
  // `used` sections are retained by the linker, too.
  llvm::appendToUsed(module, records);
  if (hasThunks)
    registerXRay(module);
  if (hasSleds)
    registerSleds(module);
  registerSection(module);
  return true;
}
