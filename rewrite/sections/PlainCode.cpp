// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/PlainCode.h"

#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {

bool isPlain(const Stmt &statement) {
  constexpr Stmt::StmtClass plain[] = {Stmt::CompoundStmtClass,
                                       Stmt::DeclStmtClass,
                                       Stmt::IfStmtClass,
                                       Stmt::NullStmtClass,
                                       Stmt::ExprWithCleanupsClass,
                                       Stmt::ParenExprClass,
                                       Stmt::ImplicitCastExprClass,
                                       Stmt::CStyleCastExprClass,
                                       Stmt::CXXStaticCastExprClass,
                                       Stmt::CXXFunctionalCastExprClass,
                                       Stmt::ConstantExprClass,
                                       Stmt::IntegerLiteralClass,
                                       Stmt::CharacterLiteralClass,
                                       Stmt::FloatingLiteralClass,
                                       Stmt::CXXBoolLiteralExprClass,
                                       Stmt::BinaryOperatorClass,
                                       Stmt::CompoundAssignOperatorClass,
                                       Stmt::ConditionalOperatorClass,
                                       Stmt::DeclRefExprClass,
                                       Stmt::MemberExprClass,
                                       Stmt::UnaryOperatorClass};
  return llvm::is_contained(plain, statement.getStmtClass());
}

const Stmt *parentOf(const Stmt &node, ASTContext &context) {
  const auto parents = context.getParents(node);
  return parents.size() == 1 ? parents[0].get<Stmt>() : nullptr;
}

} // namespace qdadvise
