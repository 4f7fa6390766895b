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

/// What a word means in the name of a function.
enum class Meaning : unsigned char {
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
  Meaning meaning;
};

// Words that are not listed mean nothing: `clock`, `block` and `flock` are such.
constexpr Word words[] = {
    {"lock", Meaning::lock},         {"rdlock", Meaning::lock},     {"wrlock", Meaning::lock},
    {"rlock", Meaning::lock},        {"wlock", Meaning::lock},      {"slock", Meaning::lock},
    {"xlock", Meaning::lock},        {"readlock", Meaning::lock},   {"writelock", Meaning::lock},
    {"spinlock", Meaning::lock},     {"mutexlock", Meaning::lock},  {"timedlock", Meaning::lock},
    {"latch", Meaning::lock},        {"trylock", Meaning::tryLock}, {"tryrdlock", Meaning::tryLock},
    {"trywrlock", Meaning::tryLock}, {"unlock", Meaning::unlock},   {"rdunlock", Meaning::unlock},
    {"wrunlock", Meaning::unlock},   {"runlock", Meaning::unlock},  {"wunlock", Meaning::unlock},
    {"spinunlock", Meaning::unlock}, {"unlatch", Meaning::unlock},  {"acquire", Meaning::take},
    {"enter", Meaning::take},        {"grab", Meaning::take},       {"obtain", Meaning::take},
    {"take", Meaning::take},         {"release", Meaning::give},    {"leave", Meaning::give},
    {"exit", Meaning::give},         {"drop", Meaning::give},       {"give", Meaning::give},
    {"mutex", Meaning::about},       {"mtx", Meaning::about},       {"critical", Meaning::about},
    {"monitor", Meaning::about},     {"rwlock", Meaning::about},    {"try", Meaning::attempt},
    {"add", Meaning::other},         {"alloc", Meaning::other},     {"allocate", Meaning::other},
    {"assert", Meaning::other},      {"asserts", Meaning::other},   {"broadcast", Meaning::other},
    {"can", Meaning::other},         {"check", Meaning::other},     {"clear", Meaning::other},
    {"close", Meaning::other},       {"cond", Meaning::cond},       {"config", Meaning::other},
    {"configure", Meaning::other},   {"count", Meaning::other},     {"create", Meaning::other},
    {"debug", Meaning::other},       {"deinit", Meaning::other},    {"delete", Meaning::other},
    {"dest", Meaning::other},        {"destroy", Meaning::other},   {"disable", Meaning::other},
    {"dump", Meaning::other},        {"enable", Meaning::other},    {"file", Meaning::other},
    {"find", Meaning::other},        {"finish", Meaning::other},    {"free", Meaning::other},
    {"get", Meaning::other},         {"has", Meaning::other},       {"have", Meaning::other},
    {"held", Meaning::other},        {"hold", Meaning::other},      {"holds", Meaning::other},
    {"info", Meaning::other},        {"init", Meaning::other},      {"initialise", Meaning::other},
    {"initialize", Meaning::other},  {"insert", Meaning::other},    {"is", Meaning::other},
    {"key", Meaning::other},         {"level", Meaning::other},     {"locked", Meaning::other},
    {"log", Meaning::other},         {"lookup", Meaning::other},    {"make", Meaning::other},
    {"manager", Meaning::other},     {"mode", Meaning::other},      {"name", Meaning::other},
    {"need", Meaning::other},        {"needs", Meaning::other},     {"new", Meaning::other},
    {"notify", Meaning::other},      {"num", Meaning::other},       {"number", Meaning::other},
    {"open", Meaning::other},        {"owned", Meaning::other},     {"owner", Meaning::other},
    {"owns", Meaning::other},        {"poll", Meaning::other},      {"print", Meaning::other},
    {"profile", Meaning::other},     {"query", Meaning::other},     {"read", Meaning::about},
    {"register", Meaning::other},    {"remove", Meaning::other},    {"reset", Meaning::other},
    {"set", Meaning::other},         {"setup", Meaning::other},     {"shutdown", Meaning::other},
    {"signal", Meaning::other},      {"size", Meaning::other},      {"start", Meaning::other},
    {"stat", Meaning::other},        {"state", Meaning::other},     {"stats", Meaning::other},
    {"stop", Meaning::other},        {"table", Meaning::other},     {"term", Meaning::other},
    {"test", Meaning::other},        {"type", Meaning::other},      {"unlocked", Meaning::other},
    {"verify", Meaning::other},      {"wait", Meaning::wait},       {"wake", Meaning::other},
    {"without", Meaning::other},     {"waits", Meaning::wait},      {"timedwait", Meaning::wait},
    {"cnd", Meaning::cond},          {"condition", Meaning::cond},  {"condvar", Meaning::cond},
    {"cv", Meaning::cond},
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
NameSays guardConstructorSays(const CXXConstructorDecl &constructor) {
  const CXXRecordDecl &record = *constructor.getParent();
  if (constructor.isCopyOrMoveConstructor() || !record.getIdentifier() ||
      !record.hasUserDeclaredDestructor() || !hasStem(record.getName()) ||
      llvm::none_of(constructor.parameters(),
                    [](const ParmVarDecl *parameter) { return isObject(parameter->getType()); }))
    return NameSays::nothing;
  const Words named = wordsOf(record.getName());
  return !named.empty() && llvm::is_contained(guardWords, named.back()) ? NameSays::takes
                                                                        : NameSays::nothing;
}

} // namespace

bool isNamedAsLock(StringRef className) {
  const Words named = wordsOf(className);
  return !named.empty() && isWordForLock(named.back());
}

NameSays nameSays(StringRef name, StringRef inClass) {
  if (!hasStem(name))
    return NameSays::nothing;
  bool does[static_cast<unsigned>(Meaning::other) + 1] = {};
  for (const std::string &text : wordsOf(name))
    for (const Word &word : words)
      if (word.text == text)
        does[static_cast<unsigned>(word.meaning)] = true;
  const auto says = [&](Meaning meaning) { return does[static_cast<unsigned>(meaning)]; };
  if (says(Meaning::other))
    return NameSays::nothing;
  if (says(Meaning::wait) || says(Meaning::cond)) {
    const bool forCondition =
        says(Meaning::cond) ||
        llvm::any_of(wordsOf(inClass), [](StringRef word) { return word.starts_with("cond"); });
    return says(Meaning::wait) && forCondition ? NameSays::waits : NameSays::nothing;
  }
  const bool isAbout =
      says(Meaning::about) || says(Meaning::lock) || llvm::any_of(wordsOf(inClass), isWordForLock);
  if (says(Meaning::unlock) || (says(Meaning::give) && isAbout))
    return NameSays::releases;
  const bool takes =
      says(Meaning::lock) || says(Meaning::tryLock) || (says(Meaning::take) && isAbout);
  if (!takes)
    return NameSays::nothing;
  return says(Meaning::tryLock) || says(Meaning::attempt) ? NameSays::tries : NameSays::takes;
}

NameSays nameSays(const FunctionDecl &function) {
  const auto *constructor = dyn_cast<CXXConstructorDecl>(&function);
  NameSays says = NameSays::nothing;
  if (constructor) {
    says = guardConstructorSays(*constructor);
  } else if (const IdentifierInfo *name = function.getIdentifier()) {
    const auto *method = dyn_cast<CXXMethodDecl>(&function);
    const IdentifierInfo *inClass = method ? method->getParent()->getIdentifier() : nullptr;
    says = nameSays(name->getName(), inClass ? inClass->getName() : StringRef());
  }
  if (says == NameSays::nothing || function.getBuiltinID() != 0 || function.isInStdNamespace() ||
      function.isDefined() || function.isImplicit() || !isGivenLock(function) ||
      function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation()))
    return NameSays::nothing;
  return says;
}

} // namespace qdadvise
