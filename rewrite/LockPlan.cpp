// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/LockPlan.h"

#include "rewrite/AtomicPlan.h"
#include "rewrite/uses/Completion.h"
#include "rewrite/uses/LockOrder.h"
#include "runtime/abi/section_facts.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace qdadvise {
namespace {

/// The superuser may write what nobody is meant to.
bool isWritable(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  constexpr fs::perms anyone =
      fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  return ::access(path.c_str(), W_OK) == 0 &&
         (fs::status(path, error).permissions() & anyone) != fs::perms::none;
}

enum class Form { none, asClass, ofFunctions };

/// Writes the edits of one lock.
class Planner {
public:
  Planner(const ProgramUses &lockProgram, const std::string &key, const Target &lockTarget,
          const PlanOptions &planOptions)
      : program(lockProgram), lock(lockProgram.locks.at(key)), target(lockTarget),
        options(planOptions) {
    plan.key = key;
    plan.name = lock.name;
    plan.type = lock.type;
    plan.target = &target;
    plan.place = lock.place;
  }

  LockPlan run() {
    if (isAlready()) {
      plan.outcome = LockPlan::Outcome::already;
      return plan;
    }
    chooseForm();
    const bool isUnaligned = form == Form::ofFunctions ? functions.fillsLines && !lock.isStatic
                                                       : target.inC.fillsLines && lock.isMalloced;
    if (isUnaligned)
      plan.refuse(Gate::alignment, lock.place, "");
    if (target.delegates)
      checkDelegation();
    if (!program.broken.empty())
      plan.refuse(Gate::doesNotParse, {}, program.broken.front());
    for (const LockUse &use : lock.uses)
      checkUse(use);
    checkMentions();
    if (target.isAdaptive && initialisers() == 0)
      plan.refuse(Gate::initialiser, lock.place, "it has no initialiser that could say so");
    if (!plan.refusals.empty())
      return plan;
    for (const LockUse &use : lock.uses) {
      if (!isOperation(use) && !endsOperation(use))
        edit(use);
      else if (use.rest)
        editIntoOperation(*use.rest, detached.contains(&use));
      else if (use.section)
        editIntoOperation(*use.section, detached.contains(&use), doesIo(*use.section));
    }
    if (target.delegates && !lock.isStatic && form == Form::asClass)
      editDestructor();
    plan.decide();
    plan.isOursInCxx = form == Form::asClass && target.asClass.header.starts_with("<qdadvise/");
    plan.isOursInC = form == Form::ofFunctions && functions.header.starts_with("<qdadvise/");
    return plan;
  }

private:
  static bool isInitialiser(const LockUse &use) {
    return use.kind == LockUse::Kind::initialiser || use.kind == LockUse::Kind::element ||
           (use.kind == LockUse::Kind::call && use.verb == LockVerb::initialise);
  }
  std::ptrdiff_t initialisers() const { return std::ranges::count_if(lock.uses, isInitialiser); }

  bool isAlready() const {
    const bool isAdaptive =
        initialisers() > 0 && std::ranges::all_of(lock.uses, [](const LockUse &use) {
          return !isInitialiser(use) || use.isAdaptive;
        });
    switch (lock.family) {
    case LockFamily::classes:
      return lock.type == target.asClass.type;
    case LockFamily::mutex:
    case LockFamily::rwlock:
      return target.asPosix.type == lock.type && target.isAdaptive == isAdaptive;
    case LockFamily::oursInC:
      return lock.type == target.inC.type;
    case LockFamily::other:
      break;
    }
    return false;
  }

  void chooseForm() {
    const bool isPosix = lock.family == LockFamily::mutex || lock.family == LockFamily::rwlock;
    const bool staysPosix = isPosix && !target.asPosix.type.empty();
    const bool isClass = lock.family == LockFamily::classes && !target.asClass.type.empty();
    if (isClass || (isPosix && !staysPosix && !lock.inC && !lock.isBefore17)) {
      form = Form::asClass;
    } else if (isPosix && !staysPosix && lock.inCxx && lock.inC) {
      plan.refuse(Gate::mixedLanguages, lock.place, "");
    } else if (isPosix) {
      form = Form::ofFunctions;
      functions = staysPosix ? target.asPosix : target.inC;
    } else {
      plan.refuse(Gate::noForm, lock.place, std::string(target.label));
    }
  }

  /// Is the gate none for an adaptive mutex? That is a pthread mutex as before: who has its
  /// address, waits with it, or gives up after a while, does so with this one just as well.
  bool isHarmless(Gate gate, LockVerb verb) const {
    constexpr Gate ofAnotherType[] = {Gate::addressTaken, Gate::conditionVariable,
                                      Gate::handedOn,     Gate::inactiveCode,
                                      Gate::macro,        Gate::timedOperation};
    return target.isAdaptive && form == Form::ofFunctions && verb != LockVerb::initialise &&
           std::ranges::find(ofAnotherType, gate) != std::end(ofAnotherType);
  }

  /// What is in the way of this use, whatever the others are.
  void checkUse(const LockUse &use) {
    if (use.kind == LockUse::Kind::gated && !isHarmless(use.gate, use.verb))
      plan.refuse(use.gate, use.text, use.detail);
    const bool isPosixReader = use.kind == LockUse::Kind::call && use.isShared;
    if (use.isShared && (!target.sharesReads || (isPosixReader && !functions.returnsError))) {
      if (isPosixReader && options.accepted.contains(Gate::sharedOperation))
        plan.accepted.insert(Gate::sharedOperation);
      else
        plan.refuse(Gate::sharedOperation, use.text, "");
    }
    if (isInitialiser(use) && use.isAdaptive && !target.isAdaptive && functions.returnsError)
      plan.refuse(Gate::mutexAttributes, use.text, "it is adaptive");
    if (use.kind != LockUse::Kind::call)
      return;
    const bool isRebuilt = form == Form::asClass || use.verb == LockVerb::initialise;
    if (isRebuilt && use.commentInside)
      plan.refuse(Gate::commentInside, use.text, "");
    const bool isOfLife = use.verb == LockVerb::initialise || use.verb == LockVerb::destroy;
    const bool keepsValue =
        form == Form::ofFunctions &&
        ((functions.returnsError && !(target.isAdaptive && use.verb == LockVerb::initialise)) ||
         (!functions.returnsError && use.verb == LockVerb::initialise));
    if (isOfLife && !use.isStatement && !keepsValue && !goesWithTest(use))
      plan.refuse(Gate::resultUsed, use.text, "");
  }

  /// Is it the initialisation of what is constructed already, and a test whether that failed?
  bool goesWithTest(const LockUse &use) const {
    return form == Form::asClass && use.verb == LockVerb::initialise && use.inConstructor &&
           use.test;
  }

  /// What is in the way of operations. A section that cannot be one takes the lock as before, as
  /// long as another can.
  void checkDelegation() {
    if (form == Form::ofFunctions && lock.inCxx)
      plan.refuse(Gate::noForm, lock.place, "before C++17");
    checkLifetime();
    std::vector<Refusal> locked;
    for (const LockUse &use : lock.uses) {
      if (use.isShared || (!use.rest && !use.section))
        continue;
      if (std::optional<Refusal> refusal =
              use.rest ? refusalOf(*use.rest) : refusalOf(*use.section))
        locked.push_back(std::move(*refusal));
      else
        addOperation(use);
    }
    plan.operations = operations.size();
    if (operations.empty() && locked.empty())
      plan.refuse(Gate::sectionShape, lock.place, "it has no section");
    std::vector<Refusal> &found = operations.empty() ? plan.refusals : plan.locked;
    found.insert(found.end(), locked.begin(), locked.end());
  }

  void addOperation(const LockUse &use) {
    operations.insert(&use);
    if (options.detaches)
      detach(use);
    if (use.section)
      for (const TextRange &release : use.section->releases)
        operationEnds.emplace(release.file, release.offset);
  }

  /// Does the thread go on, where it is proven that it may?
  void detach(const LockUse &use) {
    const UnawaitedSection &section = use.rest ? use.rest->unawaited : use.section->unawaited;
    std::optional<WaitReason> reason = reasonToWait(section, lock, program);
    const bool takesMuch = use.section && std::ranges::any_of(use.section->edits, [](auto &change) {
                             return change.callsDelegate && !change.detached;
                           });
    if (!reason && takesMuch)
      reason = {"it takes more than one value with it", section.text};
    if (reason)
      plan.awaited.push_back({Gate::completion, reason->place, reason->why});
    else
      detached.insert(&use);
    plan.detached = detached.size();
  }

  /// Is there somebody who waits for helpers before the lock goes?
  void checkLifetime() {
    if (!lock.isStatic && form == Form::asClass && !lock.destructor)
      plan.refuse(Gate::lifetime, lock.place, "");
  }

  std::optional<Refusal> refusalOf(const GuardedRest &rest) const {
    if (rest.gate)
      return Refusal{*rest.gate, rest.place, rest.detail};
    const auto used = program.usedGuards.find({rest.guard.file, rest.guard.offset});
    if (used != program.usedGuards.end())
      return Refusal{Gate::sectionShape, used->second, "the guard is named again"};
    return refusalByFacts(rest.guard, /*carriesErrno=*/false);
  }

  std::optional<Refusal> refusalOf(const CallSection &section) const {
    if (section.gate)
      return Refusal{*section.gate, section.place, section.detail};
    if (options.keepsNested && section.hasOperations)
      return Refusal{Gate::innerLock, section.call, "which changes, too, within the same text"};
    return refusalByFacts(section.call, carriesErrno(section));
  }

  /// In C a function of ours is around the operation, which can do that.
  static bool carriesErrno(const CallSection &section) {
    return std::ranges::any_of(
        section.edits, [](const SectionEdit &change) { return change.carrying.has_value(); });
  }

  bool doesIo(const CallSection &section) const {
    const auto facts = program.facts.find({section.call.file, section.call.offset});
    return facts != program.facts.end() &&
           (program.withFunctions(facts->second).bits & factDoesIo) != 0;
  }

  /// What the section at that site does and an operation must not.
  std::optional<Refusal> refusalByFacts(const TextRange &site, bool carriesErrno) const {
    constexpr std::pair<SectionFactBits, Gate> inTheWay[] = {
        {factCallsUnknown | factCallsPointer, Gate::unseenCall},
        {factWaits, Gate::waits},
        {factDoesIo, Gate::errnoSet},
        {factThreadLocal, Gate::threadLocal},
    };
    const auto facts = program.facts.find({site.file, site.offset});
    CodeFacts found;
    found.bits = factCallsUnknown;
    if (facts != program.facts.end())
      found = program.withFunctions(facts->second);
    if (!found.unseen.empty())
      return Refusal{Gate::unseenCall, site, "'" + found.unseen.begin()->second + "'"};
    for (const auto &[bits, gate] : inTheWay)
      if ((found.bits & bits) && !(carriesErrno && gate == Gate::errnoSet))
        return Refusal{gate, site, ""};
    const std::string order =
        found.bits & factTakesLock ? orderObstacle(plan.key, found, program) : "";
    return order.empty() ? std::nullopt : std::optional(Refusal{Gate::innerLock, site, order});
  }

  void checkMentions() {
    const std::size_t scope = lock.name.rfind("::");
    if (!lock.isPointedTo)
      checkMentionsOf({scope == std::string::npos ? lock.name : lock.name.substr(scope + 2), {}});
    for (const PointerName &name : lock.names)
      checkMentionsOf(name);
  }

  /// Is it bare, in a member function of another class than all that have the pointer?
  bool isInAnotherClass(const Mention &mention) const {
    auto method = program.methods.upper_bound({mention.text.file, mention.text.offset});
    if (mention.isMember || lock.records.empty() || method == program.methods.begin())
      return false;
    --method;
    return method->first.first == mention.text.file && mention.text.offset < method->second.end &&
           !lock.records.contains(method->second.record);
  }

  /// Has no configuration both the mention and what changes?
  bool isExclusive(const Mention &mention) const {
    return mention.gate == Gate::inactiveCode &&
           std::ranges::all_of(lock.uses, [&](const LockUse &use) {
             return use.kind == LockUse::Kind::plain ||
                    areExclusive(use.text, mention.text, program.branches);
           });
  }

  void checkMentionsOf(const PointerName &pointer) {
    const std::string &name = pointer.name;
    const bool isLocal = program.isOfOneFile(plan.key, lock.place);
    Mention first;
    first.name = name;
    first.gate = Gate{};
    for (auto mention = program.mentions.lower_bound(first);
         mention != program.mentions.end() && mention->name == name; ++mention) {
      const auto isThere = [&](const LockUse &use) {
        return use.text.file == mention->text.file && use.text.offset <= mention->text.offset &&
               mention->text.offset <= use.text.end();
      };
      const bool isElsewhere =
          !pointer.scope.file.empty() && (mention->text.file != pointer.scope.file ||
                                          mention->text.offset < pointer.scope.offset ||
                                          mention->text.offset >= pointer.scope.end());
      if (isElsewhere || program.isOfAnother(*mention, lock.record))
        continue;
      if (mention->gate == Gate::macro &&
          program.resolved.contains({mention->text.file, mention->text.offset}))
        continue;
      if (isHarmless(mention->gate, LockVerb::lock) ||
          (isLocal && mention->text.file != lock.place.file) ||
          std::ranges::any_of(lock.uses, isThere))
        continue;
      if (isExclusive(*mention) || (pointer.scope.file.empty() && isInAnotherClass(*mention)))
        continue;
      plan.refuse(mention->gate, mention->text, "'" + name + "'");
    }
  }

  void add(const TextRange &text, std::string replacement, bool takesSemicolon = false) {
    plan.add({text, std::move(replacement), takesSemicolon});
  }

  void edit(const LockUse &use) {
    const std::string type = newType();
    switch (use.kind) {
    case LockUse::Kind::declaration:
      if (type != lock.type && !isInRebuiltCall(use.text)) {
        add(use.text, type);
        plan.includes.emplace(use.text.file,
                              form == Form::asClass ? target.asClass.header : functions.header);
      }
      break;
    case LockUse::Kind::initialiser:
      if (form == Form::asClass)
        add(use.whole, "");
      else
        add(use.text, std::string(functions.initialiser));
      break;
    case LockUse::Kind::element:
      add(use.text, form == Form::asClass ? "{}" : std::string(functions.initialiser));
      break;
    case LockUse::Kind::guardArgument:
      add(use.text, type);
      break;
    case LockUse::Kind::call:
      if (form == Form::asClass)
        editIntoMember(use);
      else
        editIntoCall(use);
      break;
    case LockUse::Kind::condition:
      if (type != "std::mutex")
        add(use.text, "std::condition_variable_any");
      break;
    case LockUse::Kind::plain:
    case LockUse::Kind::gated:
      break;
    }
  }

  bool isOperation(const LockUse &use) const { return operations.contains(&use); }
  /// Is it a call that is not there any more, since an operation ends by itself?
  bool endsOperation(const LockUse &use) const {
    return operationEnds.contains({use.text.file, use.text.offset});
  }

  /// The rest of the block, in a lambda. An object whose lock it is ends when nobody is in the
  /// lock.
  void editIntoOperation(const GuardedRest &rest, bool isDetached) {
    add(rest.guard, isDetached
                        ? rest.unawaited.openingFor(rest.lock)
                        : rest.opening + rest.lock + ".delegate([&]" + rest.resultType + " {");
    TextRange before = rest.end;
    before.length = 0;
    const std::string deeper =
        rest.endIndent ? rest.indent.substr(std::min(rest.endIndent->size(), rest.indent.size()))
                       : "";
    add(before, rest.endIndent ? deeper + "});\n" + *rest.endIndent : "}); ");
  }

  void editIntoOperation(const CallSection &section, bool isDetached, bool isCarrying) {
    for (const SectionEdit &change : section.edits) {
      std::string text = change.replacement;
      if (isDetached && change.detached)
        text = (change.callsDelegate ? std::string(functions.prefix) + "delegate_detached" : "") +
               *change.detached;
      else if (isCarrying && change.carrying)
        text = *change.carrying + delegation(change, change.carryingAfter);
      else
        text += delegation(change, change.after);
      if (text.find("intptr_t") != std::string::npos)
        plan.includes.emplace(change.text.file, "<stdint.h>");
      if (isCarrying && change.carrying)
        plan.includes.emplace(change.text.file, "<errno.h>");
      add(change.text, std::move(text));
    }
  }

  std::string delegation(const SectionEdit &change, const std::string &after) const {
    return change.callsDelegate ? std::string(functions.prefix) + "delegate" + after : "";
  }

  void editDestructor() {
    TextRange at = *lock.destructor;
    at.length = 0;
    add(at, lock.destructorText);
  }

  /// Is it in a call that is written anew as a whole? The cast of a pointer to the lock is.
  bool isInRebuiltCall(const TextRange &text) const {
    return std::ranges::any_of(lock.uses, [&](const LockUse &use) {
      return use.kind == LockUse::Kind::call && (form == Form::asClass || use.isMacro) &&
             use.text.file == text.file && use.text.offset < text.offset &&
             text.end() <= use.text.end();
    });
  }

  /// The pointer to the lock, in which its type changes, too.
  std::string pointerTo(const LockUse &use) const {
    if (use.pointer.empty())
      return "&" + use.lock;
    std::string text = use.pointer;
    for (const LockUse &other : lock.uses)
      if (other.kind == LockUse::Kind::declaration && other.text.file == use.pointerText.file &&
          use.pointerText.offset <= other.text.offset && other.text.end() <= use.pointerText.end())
        text.replace(other.text.offset - use.pointerText.offset, other.text.length, newType());
    return text;
  }

  std::string newType() const {
    return std::string(form == Form::asClass ? target.asClass.type : functions.type);
  }

  /// The lock with the dot or arrow before a member.
  std::string memberOf(const LockUse &use) const {
    if (use.pointer.empty())
      return use.lock + ".";
    const std::string pointer = pointerTo(use);
    return (pointer.find_first_of(" +-*?(") == std::string::npos ? pointer : "(" + pointer + ")") +
           "->";
  }

  void remove(const LockUse &use) { plan.add(withoutCall(use)); }

  /// The value that POSIX would have returned, where somebody looks at it.
  std::string withValue(const LockUse &use, const std::string &call, bool inC) {
    if (use.isStatement)
      return call;
    if (use.verb != LockVerb::tryLock)
      return "(" + call + ", 0)";
    if (use.isTruth) // a compiler may warn of EBUSY as a truth
      return "!" + call;
    plan.includes.emplace(use.text.file, inC ? "<errno.h>" : "<cerrno>");
    return "(" + call + " ? 0 : EBUSY)";
  }

  void editIntoMember(const LockUse &use) {
    switch (use.verb) {
    case LockVerb::lock:
      add(use.text, withValue(use, memberOf(use) + "lock()", false));
      break;
    case LockVerb::tryLock:
      add(use.text, withValue(use, memberOf(use) + "try_lock()", false));
      break;
    case LockVerb::unlock:
      add(use.text, withValue(use, memberOf(use) + "unlock()", false));
      break;
    case LockVerb::initialise:
      if (use.inConstructor) {
        remove(use);
      } else {
        add(use.text, "new (" + pointerTo(use) + ") " + newType() + "()");
        plan.includes.emplace(use.text.file, "<new>");
      }
      break;
    case LockVerb::destroy:
      remove(use);
      break;
    }
  }

  void editIntoCall(const LockUse &use) {
    const std::string prefix(functions.prefix);
    if (use.verb == LockVerb::initialise && target.isAdaptive) {
      add(use.whole,
          "{ pthread_mutexattr_t adaptive;\npthread_mutexattr_init(&adaptive);\n"
          "pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);\n"
          "pthread_mutex_init(" +
              pointerTo(use) + ", &adaptive);\npthread_mutexattr_destroy(&adaptive); }",
          /*takesSemicolon=*/true);
      return;
    }
    if (!functions.returnsError && use.verb == LockVerb::initialise) {
      add(use.text, withValue(use, prefix + "init(" + pointerTo(use) + ")", true));
      return;
    }
    if (!functions.returnsError && !functions.delegates && use.verb == LockVerb::destroy) {
      remove(use);
      return;
    }
    const std::string callee = prefix + std::string(nameOf(use.verb, functions));
    if (use.isMacro) { // its name cannot be changed for one use
      const bool hasAttributes = use.verb == LockVerb::initialise;
      const std::string call = callee + "(" + pointerTo(use) + (hasAttributes ? ", NULL)" : ")");
      if (callee != lockCallee(use.verb))
        add(use.text, functions.returnsError ? call : withValue(use, call, true));
      return;
    }
    if (functions.returnsError || use.isStatement) {
      if (type() != lock.type)
        add(use.callee, callee);
      return;
    }
    // The arguments stay as they are, with their comments.
    const std::string around = withValue(use, callee, true);
    const std::size_t at = around.find(callee) + callee.size();
    add(use.callee, around.substr(0, at));
    TextRange after = use.text;
    after.offset = use.text.end();
    after.length = 0;
    add(after, around.substr(at));
  }

  std::string_view type() const { return functions.type; }

  /// What is called today.
  std::string lockCallee(LockVerb verb) const {
    const FunctionForm &today =
        findTarget(lock.family == LockFamily::mutex ? "pthread_mutex" : "pthread_rwlock")->asPosix;
    return std::string(today.prefix) + std::string(nameOf(verb, today));
  }

  static std::string_view nameOf(LockVerb verb, const FunctionForm &functions) {
    switch (verb) {
    case LockVerb::lock:
      return functions.lock;
    case LockVerb::tryLock:
      return functions.tryLock;
    case LockVerb::unlock:
      return functions.unlock;
    case LockVerb::initialise:
      return "init";
    case LockVerb::destroy:
      return "destroy";
    }
    return "";
  }

  const ProgramUses &program;
  const ProgramLock &lock;
  const Target &target;
  const PlanOptions &options;
  Form form = Form::none;
  FunctionForm functions;
  std::set<const LockUse *> operations, detached;           ///< that begin one
  std::set<std::pair<std::string, unsigned>> operationEnds; ///< calls that end one
  LockPlan plan;
};

} // namespace

void LockPlan::refuse(Gate gate, const TextRange &where, const std::string &detail) {
  outcome = Outcome::refused;
  refusals.push_back({gate, where, detail});
}

void LockPlan::add(Edit edit) {
  if (std::ranges::find(edits, edit) == edits.end())
    edits.push_back(std::move(edit));
}

void LockPlan::decide() {
  for (const Edit &change : edits)
    if (!isWritable(change.text.file))
      refuse(Gate::notWritable, change.text, change.text.file);
  outcome = refusals.empty() ? Outcome::changed : Outcome::refused;
}

Edit withoutCall(const LockUse &use) {
  if (use.test && !use.isStatement)
    return {*use.test, "", /*takesSemicolon=*/true};
  if (use.inBlock)
    return {use.whole, "", /*takesSemicolon=*/true};
  return {use.whole, "(void)0"};
}

LockPlan planLock(const ProgramUses &program, const std::string &key, const Target &target,
                  const PlanOptions &options) {
  const auto other = program.others.find(key);
  if (other == program.others.end() && target.isAtomic)
    return planAtomic(program, key, target);
  if (other == program.others.end())
    return Planner(program, key, target, options).run();
  LockPlan plan;
  plan.key = key;
  plan.name = other->second.name;
  plan.type = other->second.type;
  plan.target = &target;
  plan.place = other->second.place;
  plan.refuse(other->second.gate, other->second.place,
              plan.type.empty() ? "" : "'" + plan.type + "'");
  return plan;
}

} // namespace qdadvise
