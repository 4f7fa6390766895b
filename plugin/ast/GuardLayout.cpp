// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/GuardLayout.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace qdadvise {
namespace {

struct Leaf {
  std::uint64_t offset;
  const CXXRecordDecl *pointee; ///< the class it points or refers to; null: a bool
};

/// The pointers, references and bools in a record, those of its bases and members too.
void collectLeaves(const CXXRecordDecl &record, std::uint64_t base,
                   llvm::SmallVectorImpl<Leaf> &leaves) {
  const CXXRecordDecl *definition = record.getDefinition();
  if (!definition || definition->isInvalidDecl() || definition->isDependentContext())
    return;
  ASTContext &context = definition->getASTContext();
  const ASTRecordLayout &layout = context.getASTRecordLayout(definition);
  for (const CXXBaseSpecifier &specifier : definition->bases()) {
    const CXXRecordDecl *baseRecord = specifier.getType()->getAsCXXRecordDecl();
    if (!baseRecord || specifier.isVirtual())
      continue;
    const CharUnits offset = layout.getBaseClassOffset(baseRecord);
    collectLeaves(*baseRecord, base + static_cast<std::uint64_t>(offset.getQuantity()), leaves);
  }
  for (const FieldDecl *field : definition->fields()) {
    if (field->isBitField())
      continue;
    const std::uint64_t bits = layout.getFieldOffset(field->getFieldIndex());
    const std::uint64_t offset =
        base + static_cast<std::uint64_t>(
                   context.toCharUnitsFromBits(static_cast<std::int64_t>(bits)).getQuantity());
    const QualType type = field->getType();
    if (type->isReferenceType() || type->isPointerType()) {
      if (const CXXRecordDecl *pointee = type->getPointeeType()->getAsCXXRecordDecl())
        leaves.push_back({offset, pointee->getCanonicalDecl()});
    } else if (type->isBooleanType())
      leaves.push_back({offset, nullptr});
    else if (const CXXRecordDecl *member = type->getAsCXXRecordDecl())
      collectLeaves(*member, offset, leaves);
  }
}

} // namespace

std::optional<GuardLayout> guardLayout(const CXXRecordDecl &guard,
                                       llvm::ArrayRef<const CXXRecordDecl *> lockTypes) {
  llvm::SmallVector<Leaf, 4> leaves;
  collectLeaves(guard, 0, leaves);
  GuardLayout result;
  for (const CXXRecordDecl *type : lockTypes) {
    auto *leaf =
        llvm::find_if(leaves, [&](const Leaf &l) { return l.pointee == type->getCanonicalDecl(); });
    if (leaf == leaves.end())
      return std::nullopt;
    result.lockOffsets.push_back(leaf->offset);
    leaves.erase(leaf);
  }
  const auto isBool = [](const Leaf &leaf) { return !leaf.pointee; };
  if (llvm::count_if(leaves, isBool) == 1)
    result.ownsOffset = llvm::find_if(leaves, isBool)->offset;
  return result;
}

} // namespace qdadvise
