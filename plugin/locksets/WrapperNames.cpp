// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/WrapperNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// The meaning of a word in the name of a function.
enum class WordMeaning : unsigned char {
  lock,    ///< takes
  tryLock, ///< takes, perhaps
  unlock,  ///< releases
  take,    ///< takes, where another word says that it is about a lock
  give,    ///< releases, where another word says so
  about,   ///< is about a lock
  attempt, ///< perhaps
  wait,    ///< waits, where another word says that it is for a condition
  cond,    ///< is for a condition
  other,   ///< does something else with a lock, or asks about it
};

struct Word {
  StringRef text;
  WordMeaning meaning;
};

// Words that are not listed mean nothing: `clock`, `block` and `flock` are such.
constexpr Word words[] = {
    {"lock", WordMeaning::lock},         {"rdlock", WordMeaning::lock},
    {"wrlock", WordMeaning::lock},       {"rlock", WordMeaning::lock},
    {"wlock", WordMeaning::lock},        {"slock", WordMeaning::lock},
    {"xlock", WordMeaning::lock},        {"readlock", WordMeaning::lock},
    {"writelock", WordMeaning::lock},    {"spinlock", WordMeaning::lock},
    {"mutexlock", WordMeaning::lock},    {"timedlock", WordMeaning::lock},
    {"latch", WordMeaning::lock},        {"trylock", WordMeaning::tryLock},
    {"tryrdlock", WordMeaning::tryLock}, {"trywrlock", WordMeaning::tryLock},
    {"unlock", WordMeaning::unlock},     {"rdunlock", WordMeaning::unlock},
    {"wrunlock", WordMeaning::unlock},   {"runlock", WordMeaning::unlock},
    {"wunlock", WordMeaning::unlock},    {"spinunlock", WordMeaning::unlock},
    {"unlatch", WordMeaning::unlock},    {"acquire", WordMeaning::take},
    {"enter", WordMeaning::take},        {"grab", WordMeaning::take},
    {"obtain", WordMeaning::take},       {"take", WordMeaning::take},
    {"release", WordMeaning::give},      {"leave", WordMeaning::give},
    {"exit", WordMeaning::give},         {"drop", WordMeaning::give},
    {"give", WordMeaning::give},         {"mutex", WordMeaning::about},
    {"mtx", WordMeaning::about},         {"critical", WordMeaning::about},
    {"monitor", WordMeaning::about},     {"rwlock", WordMeaning::about},
    {"try", WordMeaning::attempt},       {"add", WordMeaning::other},
    {"alloc", WordMeaning::other},       {"allocate", WordMeaning::other},
    {"assert", WordMeaning::other},      {"asserts", WordMeaning::other},
    {"broadcast", WordMeaning::other},   {"can", WordMeaning::other},
    {"check", WordMeaning::other},       {"clear", WordMeaning::other},
    {"close", WordMeaning::other},       {"cond", WordMeaning::cond},
    {"config", WordMeaning::other},      {"configure", WordMeaning::other},
    {"count", WordMeaning::other},       {"create", WordMeaning::other},
    {"debug", WordMeaning::other},       {"deinit", WordMeaning::other},
    {"delete", WordMeaning::other},      {"dest", WordMeaning::other},
    {"destroy", WordMeaning::other},     {"disable", WordMeaning::other},
    {"dump", WordMeaning::other},        {"enable", WordMeaning::other},
    {"file", WordMeaning::other},        {"find", WordMeaning::other},
    {"finish", WordMeaning::other},      {"free", WordMeaning::other},
    {"get", WordMeaning::other},         {"has", WordMeaning::other},
    {"have", WordMeaning::other},        {"held", WordMeaning::other},
    {"hold", WordMeaning::other},        {"holds", WordMeaning::other},
    {"info", WordMeaning::other},        {"init", WordMeaning::other},
    {"initialise", WordMeaning::other},  {"initialize", WordMeaning::other},
    {"insert", WordMeaning::other},      {"is", WordMeaning::other},
    {"key", WordMeaning::other},         {"level", WordMeaning::other},
    {"locked", WordMeaning::other},      {"log", WordMeaning::other},
    {"lookup", WordMeaning::other},      {"make", WordMeaning::other},
    {"manager", WordMeaning::other},     {"mode", WordMeaning::other},
    {"name", WordMeaning::other},        {"need", WordMeaning::other},
    {"needs", WordMeaning::other},       {"new", WordMeaning::other},
    {"notify", WordMeaning::other},      {"num", WordMeaning::other},
    {"number", WordMeaning::other},      {"open", WordMeaning::other},
    {"owned", WordMeaning::other},       {"owner", WordMeaning::other},
    {"owns", WordMeaning::other},        {"poll", WordMeaning::other},
    {"print", WordMeaning::other},       {"profile", WordMeaning::other},
    {"query", WordMeaning::other},       {"read", WordMeaning::about},
    {"register", WordMeaning::other},    {"remove", WordMeaning::other},
    {"reset", WordMeaning::other},       {"set", WordMeaning::other},
    {"setup", WordMeaning::other},       {"shutdown", WordMeaning::other},
    {"signal", WordMeaning::other},      {"size", WordMeaning::other},
    {"start", WordMeaning::other},       {"stat", WordMeaning::other},
    {"state", WordMeaning::other},       {"stats", WordMeaning::other},
    {"stop", WordMeaning::other},        {"table", WordMeaning::other},
    {"term", WordMeaning::other},        {"test", WordMeaning::other},
    {"type", WordMeaning::other},        {"unlocked", WordMeaning::other},
    {"verify", WordMeaning::other},      {"wait", WordMeaning::wait},
    {"wake", WordMeaning::other},        {"without", WordMeaning::other},
    {"waits", WordMeaning::wait},        {"timedwait", WordMeaning::wait},
    {"cnd", WordMeaning::cond},          {"condition", WordMeaning::cond},
    {"condvar", WordMeaning::cond},      {"cv", WordMeaning::cond},
};

/// The last word of the name of a class that takes a lock for as long as it lives.
constexpr StringRef guardWords[] = {"lock",    "locker", "guard",     "holder",
                                    "rwlock",  "latch",  "mutexlock", "spinlock",
                                    "section", "locked", "autolock",  "scopedlock"};

/// One of these, as it may stand in any case, is in every name that says something.
constexpr StringRef stems[] = {"lock", "wait",    "acquire", "enter", "leave",  "latch",   "mutex",
                               "mtx",  "release", "exit",    "grab",  "obtain", "critical"};

using Words = llvm::SmallVector<std::string, 6>;

Words wordsOf(StringRef name) {
  Words result;
  bool begins = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!llvm::isAlpha(c)) {
      begins = true;
      continue;
    }
    // `RWLock` is `RW` and `Lock`.
    const bool isUpper = llvm::isUpper(c);
    const bool hump =
        isUpper && i > 0 &&
        (!llvm::isUpper(name[i - 1]) || (i + 1 < name.size() && llvm::isLower(name[i + 1])));
    if (begins || hump)
      result.emplace_back();
    result.back() += llvm::toLower(c);
    begins = false;
  }
  return result;
}

bool hasStem(StringRef name) {
  return llvm::any_of(stems, [&](StringRef stem) { return name.contains_insensitive(stem); });
}

bool isWordForLock(StringRef word) {
  return word == "mutex" || word.ends_with("lock") || word == "latch";
}

bool isObject(QualType type) {
  if (!type->isPointerType() && !type->isReferenceType())
    return false;
  const QualType pointee = type->getPointeeType();
  return pointee->isRecordType();
}

/// Is it given something that a lock may hang on: an object, a pointer, a number?
bool isGivenLock(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  if (method && !method->isStatic())
    return true;
  return llvm::any_of(function.parameters(), [](const ParmVarDecl *parameter) {
    const QualType type = parameter->getType();
    return type->isPointerType() || type->isReferenceType() || type->isIntegerType();
  });
}

/// A constructor of a guard is given what it locks.
NameMeaning meaningOfGuardConstructor(const CXXConstructorDecl &constructor) {
  const CXXRecordDecl &record = *constructor.getParent();
  if (constructor.isCopyOrMoveConstructor() || !record.getIdentifier() ||
      !record.hasUserDeclaredDestructor() || !hasStem(record.getName()) ||
      llvm::none_of(constructor.parameters(),
                    [](const ParmVarDecl *parameter) { return isObject(parameter->getType()); }))
    return NameMeaning::nothing;
  const Words named = wordsOf(record.getName());
  return !named.empty() && llvm::is_contained(guardWords, named.back()) ? NameMeaning::takes
                                                                        : NameMeaning::nothing;
}

} // namespace

bool isNamedAsLock(StringRef className) {
  const Words named = wordsOf(className);
  return !named.empty() && isWordForLock(named.back());
}

NameMeaning meaningOfName(StringRef name, StringRef inClass) {
  if (!hasStem(name))
    return NameMeaning::nothing;
  bool does[static_cast<unsigned>(WordMeaning::other) + 1] = {};
  for (const std::string &text : wordsOf(name))
    for (const Word &word : words)
      if (word.text == text)
        does[static_cast<unsigned>(word.meaning)] = true;
  const auto says = [&](WordMeaning meaning) { return does[static_cast<unsigned>(meaning)]; };
  if (says(WordMeaning::other))
    return NameMeaning::nothing;
  if (says(WordMeaning::wait) || says(WordMeaning::cond)) {
    const bool forCondition =
        says(WordMeaning::cond) ||
        llvm::any_of(wordsOf(inClass), [](StringRef word) { return word.starts_with("cond"); });
    return says(WordMeaning::wait) && forCondition ? NameMeaning::waits : NameMeaning::nothing;
  }
  const bool isAbout = says(WordMeaning::about) || says(WordMeaning::lock) ||
                       llvm::any_of(wordsOf(inClass), isWordForLock);
  if (says(WordMeaning::unlock) || (says(WordMeaning::give) && isAbout))
    return NameMeaning::releases;
  const bool takes =
      says(WordMeaning::lock) || says(WordMeaning::tryLock) || (says(WordMeaning::take) && isAbout);
  if (!takes)
    return NameMeaning::nothing;
  return says(WordMeaning::tryLock) || says(WordMeaning::attempt) ? NameMeaning::tries
                                                                  : NameMeaning::takes;
}

NameMeaning meaningOfName(const FunctionDecl &function) {
  const auto *constructor = dyn_cast<CXXConstructorDecl>(&function);
  NameMeaning says = NameMeaning::nothing;
  if (constructor) {
    says = meaningOfGuardConstructor(*constructor);
  } else if (const IdentifierInfo *name = function.getIdentifier()) {
    const auto *method = dyn_cast<CXXMethodDecl>(&function);
    const IdentifierInfo *inClass = method ? method->getParent()->getIdentifier() : nullptr;
    says = meaningOfName(name->getName(), inClass ? inClass->getName() : StringRef());
  }
  if (says == NameMeaning::nothing || function.getBuiltinID() != 0 || function.isInStdNamespace() ||
      function.isDefined() || function.isImplicit() || !isGivenLock(function) ||
      function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation()))
    return NameMeaning::nothing;
  return says;
}

} // namespace qdadvise
