// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/Gates.h"

#include <algorithm>
#include <iterator>

namespace qdadvise {
namespace {

using enum Gate;

// In the order of Gate, which is that of the names.
constexpr GateInfo gates[] = {
    {addressTaken, "address-taken", "its address or a reference to it is kept",
     "Whoever has the address may use the lock as what it is today. Name the lock where it is "
     "used"},
    {alignment, "alignment", "its memory may not begin where the target has to",
     "The target takes whole cache lines, and `malloc` knows nothing of them. In C it is for locks "
     "of static storage"},
    {attribute, "attribute", "an attribute for thread-safety analysis names it",
     "`GUARDED_BY` and its like ask for a class with such attributes itself. Wrap the lock in one"},
    {behindPointer, "behind-pointer", "this lock is reached by a pointer only",
     "A pointer does not say which lock it leads to, nor who else has it, unless all of its ways "
     "are followed from where the program makes the lock. Name the lock, as a member or a "
     "variable"},
    {bytesCopied, "bytes-copied", "the object that holds it is copied or overwritten as bytes",
     "`memcpy`, `realloc` and the assignment of a struct copy the lock, too; a waiter's address "
     "may be in it"},
    {commentInside, "comment-inside", "a comment stands where the call would be taken apart",
     "Comments are kept. Move it out of the call"},
    {completion, "completion", "what follows a section may depend on its completion",
     "With `--detached` nobody waits for an operation that takes only values with it, calls "
     "nothing, and is about variables of static storage that the whole program names in sections "
     "of "
     "that lock only. Others are waited for, as without"},
    {conditionVariable, "condition-variable", "a condition variable waits with it",
     "`pthread_cond_wait` and `std::condition_variable` take a pthread mutex and no other lock"},
    {controlFlow, "control-flow", "a section is left in a way that an operation cannot be",
     "An operation has one end. A `return` may leave the section where it is all that is left of "
     "the function; `break`, `continue`, `goto`, a `case` of an outer switch and `co_await` may "
     "not"},
    {declaration, "declaration", "its declaration cannot be changed by itself",
     "Several names in one declaration, a union, `auto`, a type that was not written there. "
     "Declare the lock alone, by the name of its type"},
    {delegation, "delegation", "it is delegated to, and the target has no operations",
     "Operations are not made into sections again. `--undo` does that, or version control"},
    {doesNotCompile, "does-not-compile",
     "the changed program has an error or a warning that it has not today",
     "Every change is compiled in memory before a file is written. The message is the compiler's"},
    {doesNotParse, "does-not-parse", "a file of the program does not compile as it is",
     "What is not understood may use the lock. Mend the file, or the compilation database"},
    {errnoSet, "errno", "a section does input or output, which may set errno",
     "It would be the helping thread's `errno`, and not the one of the thread that looks at it. In "
     "C "
     "the operation carries its thread's along, unless the function looks at it itself"},
    {guardType, "guard-type", "the type of a guard is not written out where the guard is declared",
     "An alias, `auto`, a member or a temporary: its type is written elsewhere, or nowhere. Write "
     "`std::lock_guard<std::mutex> guard(lock)`"},
    {guardUsed, "guard-used", "a guard of it is moved, returned or handed to a function",
     "Who gets the guard expects one of today's lock"},
    {handedOn, "handed-on", "it is handed to a function",
     "The function's parameter has today's type, and the function may be called with other locks"},
    {inactiveCode, "inactive-code", "its name is in code that this configuration leaves out",
     "`#if` left the code out, so that it cannot be changed with the rest; it would not compile "
     "any more where it is not left out. A name counts that is written like the lock's"},
    {initialiser, "initialiser", "it is initialised in a way that is not known",
     "Known are `PTHREAD_MUTEX_INITIALIZER`, `PTHREAD_RWLOCK_INITIALIZER`, `pthread_mutex_init`, "
     "and a constructor without arguments"},
    {innerLock, "inner-lock", "a section takes another lock, and that is not known to be safe",
     "The helping thread holds it for somebody else, besides what it came with. That is safe where "
     "all is in sight that is done under it, nobody waits there, no circle of locks leads back, "
     "and "
     "the section gives it up again"},
    {integerUse, "integer-use", "an integer of its sections is used as an atomic cannot be",
     "Its address or a reference to it is taken, or something other than a read, a write or an "
     "update is done with it, somewhere in the program. Drop that, or keep the lock"},
    {lifetime, "lifetime", "it may be destroyed while a helper is still in it",
     "A delegation may return before the helper has left the lock. Known are locks of static "
     "storage, and members of a class that gets a destructor which waits: one with a place for it"},
    {lockType, "lock-type", "its type is not one that is rewritten",
     "Rewritten are `std::mutex`, `std::shared_mutex`, `pthread_mutex_t`, `pthread_rwlock_t` and "
     "the locks of QDAdvise. A class of the program's own changes with the one lock that it has in "
     "it, if that can be changed; a container or a pointer does not"},
    {macro, "macro", "a macro would have to be changed",
     "A macro may be used for other locks. Write the operation where it is"},
    {mixedLanguages, "mixed-languages", "both C and C++ use it",
     "In C++ it would become a class, which C does not know"},
    {mutexAttributes, "mutex-attributes", "it has attributes",
     "Recursive, error-checking, robust, process-shared or of a priority protocol: none of the "
     "other locks is"},
    {nativeHandle, "native-handle", "its native handle is used", "Only a `std::mutex` has one"},
    {noForm, "no-form", "the target has no form that can stand for a lock of this type",
     "An adaptive mutex is a `pthread_mutex_t`; `std::mutex` has no such attribute. The locks' C "
     "types are not made into each other"},
    {noSite, "no-site", "no lock of that name is found in the program",
     "The advice is older than the source, or the compilation database leaves the file out"},
    {notWritable, "not-writable", "a file that would change is not the program's own",
     "It is a system header, or cannot be written"},
    {oneAccess, "one-access", "a section is not one access to one integer",
     "An atomic stands for a section that reads, writes or updates (`++`, `--`, `+=`, `-=`, `&=`, "
     "`|=`, `^=`) one integer once, and does nothing else but with variables that only its thread "
     "has"},
    {pointerEscapes, "pointer-escapes", "a pointer to it goes where it is not followed",
     "Pointers are followed through variables, members, parameters, results and casts of `void *` "
     "in all files; not into containers, other types, virtual functions, those that are called by "
     "a pointer and those that are not in sight"},
    {pointerOrigin, "pointer-origin", "a pointer to it may lead to something else",
     "All that its pointers lead to has to be made by `new`, `malloc` or `calloc` where the "
     "program says the lock's type, so that it changes, too. The address of a lock with a name "
     "does not"},
    {recursion, "recursion", "it is recursive", "None of the other locks is"},
    {resultUsed, "result-used", "the value of an operation is used, and the target's has none",
     "`pthread_mutex_init` and `pthread_mutex_destroy` return an error, a constructor does not. "
     "Drop the test"},
    {sectionShape, "section-shape", "a section has no shape that an operation could have",
     "Known are the rest of a block after a guard that is not named again, and statements between "
     "a call that takes the lock and one that gives it up, in one block; it may be given up "
     "earlier on ways that leave the block, or go on behind it"},
    {sharedClass, "shared-class", "other locks are of its class, and are not to become the same",
     "The class has one lock in it, which is changed for all of its objects. Advise them alike, "
     "give this one a class of its own, or say `--accept shared-class` to have them changed with "
     "it",
     true},
    {sharedOperation, "shared-operation", "readers share it, and the target has no readers",
     "A thread that reads twice, one inside the other, would wait for itself. Take `--kind "
     "pthread_rwlock`, or, if you know that none does, `--accept shared-operation`: the readers of "
     "a POSIX rwlock exclude each other then",
     true},
    {stackFrame, "stack-frame", "a section depends on the function's own frame",
     "`alloca`, arrays of variable length, `setjmp`, `va_arg` and `__func__` mean another function "
     "in an operation"},
    {templateCode, "template", "it is declared or used in a template",
     "One text stands for many types there"},
    {threadLocal, "thread-local",
     "a section uses thread-local state, starts a thread, or asks which thread it is",
     "It would be the helping thread's; a thread that is started there gets the signal mask and "
     "the "
     "processors of who starts it"},
    {timedOperation, "timed-operation", "an operation on it gives up after a while",
     "The other locks have no timed operations"},
    {unknownUse, "unknown-use", "it is used in a way that is not known",
     "What is not known is not changed"},
    {unseenCall, "unseen-call", "a section calls code that is not in sight",
     "It may use thread-local state, wait or take a lock. A function that no unit of the program "
     "shows, a virtual function or a pointer"},
    {waits, "waits", "a section may wait", "Everybody at the lock would wait with it"},
};

} // namespace

const GateInfo &infoOf(Gate gate) { return gates[static_cast<std::size_t>(gate)]; }

std::vector<std::string> questions() {
  std::vector<std::string> names;
  for (const GateInfo &info : gates)
    if (info.isAQuestion)
      names.emplace_back(info.name);
  return names;
}

const GateInfo *findQuestion(std::string_view name) {
  const auto found = std::ranges::find_if(
      gates, [&](const GateInfo &info) { return info.isAQuestion && info.name == name; });
  return found == std::end(gates) ? nullptr : found;
}

std::string gatesAsMarkdown() {
  std::string text = "| gate | message | why, and what to do |\n| --- | --- | --- |\n";
  for (const GateInfo &info : gates)
    text.append("| `")
        .append(info.name)
        .append("` | ")
        .append(info.message)
        .append(" | ")
        .append(info.why)
        .append(" |\n");
  return text;
}

} // namespace qdadvise
