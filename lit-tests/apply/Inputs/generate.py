# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small program with locks into a folder, another one for each seed.

  generate.py SEED FOLDER

It is C or C++, has two or three units and a header, and threads that add numbers under locks of
many kinds, in sections of many forms. What it prints does not depend on how its threads take turns:
every section adds the same to two numbers, and returns what depends on its argument only.
"""

import os
import random
import sys

THREADS, ROUNDS = 3, 60


class Account:
    """A lock, the two numbers that it protects, and how all three are named in an operation."""

    def __init__(self, number, isC):
        self.number, self.isC = number, isC
        self.name = f"account{number}"
        self.lock, self.left, self.right = "lock_", "left_", "right_"
        self.nested = []  # functions that take locks of later accounts
        self.peers = []  # global accounts before it, whose locks are of the same type
        self.isTame = choose.random() < 0.6  # no obstacles to operations on purpose
        self.result = "long"
        self.throws = False


def oneOf(choices):
    return choose.choice(choices)


def maybe(share, text):
    return text if choose.random() < share else ""


# What a section does. Each of these adds the same to both numbers.


def bothBy(a, amount):
    return f"{a.left} += {amount};\n{a.right} += {amount};"


def plainSum(a):
    return bothBy(a, oneOf(["x", "x + 1", "3", "x * x"]))


def loop(a):
    leave = oneOf(["continue", "break"])
    return (
        f"for (int i = 0; i < 4; ++i) {{\nif (i == x % 4)\n{leave};\n++{a.left};\n++{a.right};\n}}"
    )


def choice(a):
    return (
        f"switch (x % 3) {{\ncase 0:\n{bothBy(a, '1')}\nbreak;\n"
        f"default:\n{{\n{bothBy(a, 'x')}\n}}\n}}"
    )


def local(a):
    name = f"old{choose.randrange(1000)}"
    return f"const long {name} = {a.left};\n{a.left} = {name} + x;\n{a.right} += {a.left} - {name};"


def branch(a):
    return f"if (x % 2 == 0) {{\n{bothBy(a, 'x')}\n}} else {{\n{bothBy(a, '2')}\n}}"


def helper(a):
    function = oneOf(["bump", "bumpElsewhere"])
    return f"{function}(&{a.left}, x);\n{function}(&{a.right}, x);"


def nested(a):
    return f"{plainSum(a)}\n(void){oneOf(a.nested)}(x);" if a.nested else plainSum(a)


def threadLocal(a):
    return f"++turn;\n{bothBy(a, 'turn - turn + x')}"


def errorNumber(a):
    return f"errno = 0;\n{bothBy(a, 'x + errno')}"


def text(a):
    return f'(void)"}}); {{ // ";\n/* {{ */ {plainSum(a)} // }}'


def whileLoop(a):
    name = f"i{choose.randrange(1000)}"
    return f"long {name} = 0;\nwhile ({name} < x) {{\n++{a.left};\n++{a.right};\n++{name};\n}}"


def jump(a):
    name = f"done{choose.randrange(100000)}"
    return f"if (x % 2 == 0)\ngoto {name};\n{plainSum(a)}\n{name}:\n++{a.left};\n++{a.right};"


def arrays(a):
    name = f"many{choose.randrange(1000)}"
    size = oneOf(["4", "x + 1"]) if a.isC else "4"
    return (
        f"long {name}[{size}];\n{name}[0] = x;\n{a.left} += {name}[0];\n{a.right} += {name}[0];"
    )


def lambdaCall(a):
    added = f"{bothBy(a, 'by')}\nreturn by;"
    return f"const auto add = [&](long by) {{\n{added}\n}};\nadd(x);"


def binding(a):
    return f"const auto [one, two] = Pair{{x, 2}};\n{bothBy(a, 'one + two')}"


def caught(a):
    return f"try {{\n{plainSum(a)}\nif (x == 3)\nthrow x;\n}} catch (long) {{\n{plainSum(a)}\n}}"


# What may be an operation of a delegating lock, and what may not.
TAME = [plainSum] * 4 + [loop, choice, local, branch, text, whileLoop]
TAME_CXX = TAME + [lambdaCall, binding, caught]
WILD = [helper, nested, threadLocal, errorNumber, jump, arrays]


def work(a):
    """Some work in a block of its own, so that no name is there twice, or without one."""
    tame = TAME if a.isC else TAME_CXX
    did = oneOf(tame if a.isTame or choose.random() < 0.7 else WILD)
    hasNames = did not in (plainSum, branch, helper, nested, threadLocal, errorNumber, text)
    return f"{{\n{did(a)}\n}}" if hasNames else did(a)


# Results.


def value(a):
    if a.result == "Pair":
        return oneOf(["{x, 1}", f"Pair{{{a.left} - {a.right}, x}}"])
    return oneOf(["x + 3", f"{a.left} - {a.right} + x", f"({a.left} == {a.right})", "x"])


def giveBack(a):
    return "return;" if a.result == "void" else f"return {value(a)};"


def atEnd(a):
    return maybe(0.3, "return;") if a.result == "void" else giveBack(a)


def section(a, leave=""):
    """Statements under the lock; `leave` stands before a return."""
    lines = [work(a)]
    if choose.random() < 0.4:
        back = (afterUnlock(a) or "return;") if leave else giveBack(a)
        early = f"{maybe(0.5, work(a))}\n{leave}\n{back}"
        lines.append(f"if (x % {oneOf([2, 3, 5])} == 0) {{\n{early}\n}}")
    if a.throws and not leave:
        lines.append("if (x == 5)\nthrow x;")
    lines.append(maybe(0.5, work(a)))
    return "\n".join(lines)


def afterUnlock(a):
    """What is returned when the lock is given up already."""
    if a.result == "void":
        return ""
    return "return {x, 2};" if a.result == "Pair" else "return x + 2;"


# Sections under guards.


def guard(a):
    return oneOf(a.guards).format(lock=a.lock)


def guarded(a):
    return f"{maybe(0.3, 'x += 1;')}\n{guard(a)}\n{section(a)}\n{atEnd(a)}"


def guardedBlock(a):
    inner = maybe(0.3, giveBack(a))
    did = f"if (x % 3 == 1) {{\n{guard(a)}\n{work(a)}\n{inner}\n}}" if inner else ""
    return f"{did}\n{{\n{guard(a)}\n{work(a)}\n}}\n{afterUnlock(a)}"


def guardedLine(a):
    return f"{{ {guard(a)} {bothBy(a, 'x').replace(chr(10), ' ')} }}\n{afterUnlock(a)}"


def guardedTurn(a):
    leave = oneOf(["continue", "break"])
    return (
        f"for (int turn = 0; turn < 3; ++turn) {{\n{guard(a)}\nif (turn == x % 3)\n{leave};\n"
        f"{plainSum(a)}\n}}\n{afterUnlock(a)}"
    )


def guardedCase(a):
    return (
        f"switch (x % 2) {{\ncase 0: {{\n{guard(a)}\n{work(a)}\nbreak;\n}}\n"
        f"default:\n{guard(a)}\n{plainSum(a)}\n}}\n{afterUnlock(a)}"
    )


def guardedCondition(a):
    one = f"std::lock_guard<{a.lockType}> guard({a.lock});"
    return (
        f"if ({one} x % 2 == 0) {{\n{work(a)}\n}} else {{\n{plainSum(a)}\n}}\n{afterUnlock(a)}"
    )


def givenUpEarly(a):
    first = oneOf(["", ", std::defer_lock"])
    take = "guard.lock();" if first else ""
    return (
        f"std::unique_lock<{a.lockType}> guard({a.lock}{first});\n{take}\n{section(a)}\n"
        f"guard.unlock();\n{afterUnlock(a)}"
    )


def tried(a):
    return (
        f"std::unique_lock<{a.lockType}> guard({a.lock}, std::try_to_lock);\n"
        f"if (!guard.owns_lock())\nguard.lock();\n{section(a)}\n{atEnd(a)}"
    )


def inLambda(a):
    return f"const auto act = [&] {{\n{guard(a)}\n{plainSum(a)}\n}};\nact();\n{afterUnlock(a)}"


def withPeer(a):
    if not a.peers:
        return guarded(a)
    peer = oneOf(a.peers)
    both = f"{peer.lock}, {a.lock}"
    take = oneOf(
        [
            f"std::scoped_lock guard({both});",
            f"std::lock({both});\n"
            f"std::lock_guard<{a.lockType}> first({peer.lock}, std::adopt_lock);\n"
            f"std::lock_guard second({a.lock}, std::adopt_lock);",
        ]
    )
    return f"{{\n{take}\n{bothBy(peer, 'x')}\n{plainSum(a)}\n}}\n{afterUnlock(a)}"


# Sections between calls.


def between(a):
    release = a.release.format(lock=a.lock)
    return f"{take(a)}\n{section(a, release)}\n{release}\n{afterUnlock(a)}"


def take(a):
    return oneOf(a.takes).format(lock=a.lock)


def kept(a):
    """A variable of the section is used after it."""
    release = a.release.format(lock=a.lock)
    seen = f"seen{choose.randrange(1000)}"
    after = f"if ({seen} != x)\nabort();\n{afterUnlock(a)}"
    return f"{take(a)}\n{plainSum(a)}\nlong {seen} = {a.left} - {a.right} + x;\n{release}\n{after}"


def eachWay(a):
    release = a.release.format(lock=a.lock)
    return (
        f"{take(a)}\nif (x % 2 == 0) {{\n{work(a)}\n{release}\n}} else {{\n{release}\n}}\n"
        f"{afterUnlock(a)}"
    )


def turnsBetween(a):
    release = a.release.format(lock=a.lock)
    leave = oneOf(["continue", "break"])
    return (
        f"for (int i = 0; i < 3; ++i) {{\n{take(a)}\nif (i == x % 3) {{\n{release}\n{leave};\n}}\n"
        f"{plainSum(a)}\n{release}\n}}\n{afterUnlock(a)}"
    )


def jumpsOut(a):
    if not a.isC:
        return between(a)
    release = a.release.format(lock=a.lock)
    return (
        f"{take(a)}\nif (x % 3 == 0)\ngoto out;\n{plainSum(a)}\nout:\n{release}\n{afterUnlock(a)}"
    )


def maybeTaken(a):
    release = a.release.format(lock=a.lock)
    return (
        f"if (x % 2 == 0)\n{oneOf(a.takes[:1]).format(lock=a.lock)}\nif (x % 2 == 0) {{\n"
        f"{plainSum(a)}\n{release}\n}}\n{afterUnlock(a)}"
    )


def twice(a):
    release = a.release.format(lock=a.lock)
    one = f"{take(a)}\n{plainSum(a)} {release}"
    return f"do {{\n{one}\n}} while (0);\n{{\n{one}\n}}\n{afterUnlock(a)}"


def waited(a):
    release = a.release.format(lock=a.lock)
    wait = f"while ({a.left} != {a.right})\n{a.wait.format(lock=a.lock)}"
    return f"{a.takes[0].format(lock=a.lock)}\n{wait}\n{plainSum(a)}\n{release}\n{afterUnlock(a)}"


BETWEEN = [between] * 3 + [kept, twice]
BETWEEN_WILD = [eachWay, turnsBetween, jumpsOut, maybeTaken]
GUARDED = [guarded] * 4 + [guardedBlock, guardedLine]
GUARDED_WILD = [guardedTurn, guardedCase, guardedCondition]
GUARDED_WILD += [givenUpEarly, tried, inLambda, withPeer]


def reading(a):
    """Readers only look: both numbers are the same."""
    if a.result == "void":
        return twice(a) if a.takes[0].startswith("pthread") else guarded(a)
    seen = "{x, @}" if a.result == "Pair" else "x + @"
    seen = seen.replace("@", f"({a.left} - {a.right})")
    if a.readGuards and (a.isTame or choose.random() < 0.6):
        return f"{oneOf(a.readGuards).format(lock=a.lock)}\nreturn {seen};"
    release = a.readRelease.format(lock=a.lock)
    name = f"seen{choose.randrange(1000)}"
    look = f"const long {name} = {a.left} - {a.right} + x;"
    return (
        f"{a.readTake.format(lock=a.lock)}\n{look}\n{release}\n"
        f"if ({name} != x)\nabort();\n{afterUnlock(a)}"
    )


# Kinds of locks.

PLAIN_GUARDS = ["std::lock_guard<{type}> guard(LOCK);", "std::unique_lock<{type}> guard(LOCK);"]
DEDUCED_GUARDS = ["std::lock_guard guard(LOCK);", "std::scoped_lock guard(LOCK);"]
TAGGED_GUARD = "LOCK.lock();\nstd::lock_guard<{type}> guard(LOCK, std::adopt_lock);"


def asClass(a, lockType):
    forms = PLAIN_GUARDS * 2 + DEDUCED_GUARDS + ([] if a.isTame else [TAGGED_GUARD])
    a.lockType = lockType
    a.guards = [form.format(type=lockType).replace("LOCK", "{lock}") for form in forms]
    a.takes = ["{lock}.lock();", "while (!{lock}.try_lock())\nsched_yield();"]
    a.release = "{lock}.unlock();"
    a.forms = GUARDED if a.isTame else GUARDED * 2 + GUARDED_WILD + BETWEEN + BETWEEN_WILD
    a.initialiser, a.init, a.destroy = "", "", ""


def standardMutex(a):
    asClass(a, "std::mutex")


def sharedMutex(a):
    asClass(a, "std::shared_mutex")
    a.readGuards = [f"std::shared_lock{type} guard({{lock}});" for type in ("", f"<{a.lockType}>")]
    a.readTake, a.readRelease = "{lock}.lock_shared();", "{lock}.unlock_shared();"
    a.forms = a.forms + [reading] * 6


def posix(a, kind, lock, tryLock):
    a.lockType = f"pthread_{kind}_t"
    call = f"pthread_{kind}_"
    a.takes = [
        f"{call}{lock}(&{{lock}});",
        f"while ({call}{tryLock}(&{{lock}}) != 0)\nsched_yield();",
        f"if ({call}{lock}(&{{lock}}) != 0)\nabort();",
    ]
    a.release = f"{call}unlock(&{{lock}});"
    a.forms = BETWEEN + ([] if a.isTame else BETWEEN_WILD)
    a.initialiser = f"PTHREAD_{kind.upper()}_INITIALIZER"
    a.init, a.destroy = f"{call}init(&{{lock}}, NULL);", f"{call}destroy(&{{lock}});"


def posixMutex(a):
    posix(a, "mutex", "lock", "trylock")
    a.takes.append("TAKE({lock});")
    a.takes.append("TAKE_IT(&{lock});")


def waitingMutex(a):
    posix(a, "mutex", "lock", "trylock")
    a.wait = "pthread_cond_wait(&filled, &{lock});"
    a.forms = a.forms + [waited] * 4


def posixRwlock(a):
    posix(a, "rwlock", "wrlock", "trywrlock")
    a.readGuards = []
    a.readTake, a.readRelease = "pthread_rwlock_rdlock(&{lock});", a.release
    a.forms = a.forms + [reading] * 4


def wrapper(a, name):
    asClass(a, name)
    a.guards = [g.format(type=name).replace("LOCK", "{lock}") for g in PLAIN_GUARDS]
    a.guards += [f"{name}Guard guard(&{{lock}});"] * 3
    a.takes = a.takes[:1]
    a.forms = GUARDED + BETWEEN + [guardedTurn, guardedCase] + BETWEEN_WILD


def posixWrapper(a):
    wrapper(a, "Mutex")


def standardWrapper(a):
    wrapper(a, "Guarded")


KINDS_C = [posixMutex] * 5 + [waitingMutex, posixRwlock]
KINDS_CXX = [standardMutex] * 5 + [sharedMutex, posixMutex, posixMutex, waitingMutex, posixRwlock]
KINDS_CXX += [posixWrapper, standardWrapper]


# Where a lock is. Each of these returns what stands in the header, definitions, functions with
# their names, and what prints the numbers.


def operations(a):
    """The functions of an account: their names, and the text of each."""
    made = []
    for number in range(choose.randint(1, 3)):
        a.result = oneOf(["long", "long", "int", "bool", "unsigned char", "void"])
        if not a.isC and choose.random() < 0.15:
            a.result = "Pair"
        form = oneOf(a.forms)
        a.throws = not a.isC and form in (guarded, tried) and choose.random() < 0.2
        made.append((f"step{a.number}_{number}", a.result, form(a), a.throws))
    return made


def exported(a, call, made):
    """The function that everybody calls: void and classes become numbers, exceptions too."""
    name, result, _, throws = made
    if result == "void":
        body = f"{call};\nreturn 1;"
    elif result == "Pair":
        body = f"const Pair both = {call};\nreturn both.first + both.second;"
    else:
        body = f"return {call};"
    if throws:
        body = f"try {{\n{body}\n}} catch (long thrown) {{\nreturn thrown;\n}}"
    return name, f"long {name}(long x) {{\n{body}\n}}\n"


def free(a, made, parameter="", argument=""):
    texts = []
    for one in made:
        name, result, body, _ = one
        result = "_Bool" if a.isC and result == "bool" else result
        own = f"static {result} {name}_({parameter}long x) {{\n{body}\n}}\n"
        texts.append((name, own + exported(a, f"{name}_({argument}x)", one)[1]))
    return texts


def shown(a, left, right):
    return f'printf("{a.name} %ld %ld\\n", {left}, {right});'


def begun(initialiser):
    return f" = {initialiser}" if initialiser else ""


def globalHome(a):
    a.lock, a.left, a.right = (f"{what}{a.number}" for what in ("lock", "left", "right"))
    isStatic = choose.random() < 0.5
    storage = "static " if isStatic else ""
    a.isShared = not isStatic
    lock = f"{storage}{a.lockType} {a.lock}{begun(a.initialiser)};"
    definition = f"{lock}\n{storage}long {a.left}, {a.right};\n"
    header = (
        "" if isStatic else f"extern {a.lockType} {a.lock};\nextern long {a.left}, {a.right};\n"
    )
    return header, [definition], free(a, operations(a)), shown(a, a.left, a.right)


def arrayHome(a):
    names = [f"{what}{a.number}" for what in ("lock", "left", "right")]
    a.lock, a.left, a.right = (f"{name}[x % 2]" for name in names)
    values = ", ".join([a.initialiser] * 2)
    values = f" = {{{values}}}" if a.initialiser else ""
    definition = (
        f"static {a.lockType} {names[0]}[2]{values};\nstatic long {names[1]}[2], {names[2]}[2];\n"
    )
    sums = [f"{name}[0] + {name}[1]" for name in names[1:]]
    return "", [definition], free(a, operations(a)), shown(a, *sums)


def structHome(a):
    """A struct, reached by a pointer, with a static initialiser or an initialising function."""
    a.lock, a.left, a.right = "self->lock", "self->left", "self->right"
    kind, struct = f"Store{a.number}", "struct " if a.isC else ""
    fields = f"{a.lockType} lock;\nlong left, right;"
    definition = f"struct {kind} {{\n{fields}\n}};\n"
    where = oneOf(["static", "made", "first"]) if a.initialiser else "plain"
    if where == "static":
        made = f"static {struct}{kind} {a.name} = {{{a.initialiser}, 0, 0}};\n"
    elif where == "plain":
        made = f"static {struct}{kind} {a.name};\n"
    else:
        made = f"static {struct}{kind} {a.name};\n"
        a.begin = a.init.format(lock=a.name + ".lock")
        a.end = a.destroy.format(lock=a.name + ".lock")
        if where == "made" and a.isC:
            lock = f"{a.name}->lock"
            made = f"static {struct}{kind} *{a.name};\n"
            a.begin = f"{a.name} = calloc(1, sizeof *{a.name});\n{a.init.format(lock=lock)}"
            a.end = f"{a.destroy.format(lock=lock)}\nfree({a.name});"
            texts = free(a, operations(a), f"{struct}{kind} *self, ", f"{a.name}, ")
            return "", [definition, made], texts, shown(a, f"{a.name}->left", f"{a.name}->right")
    texts = free(a, operations(a), f"{struct}{kind} *self, ", f"&{a.name}, ")
    return "", [definition, made], texts, shown(a, f"{a.name}.left", f"{a.name}.right")


def classHome(a):
    made = operations(a)
    methods = []
    for name, result, body, _ in made:
        methods.append(f"{result} {name}(long x) {{\n{body}\n}}")
    kind = f"Class{a.number}"
    isInit = a.init and choose.random() < 0.5
    life = ""
    if isInit:
        life = (
            f"{kind}() {{\n{a.init.format(lock='lock_')}\n}}\n"
            f"~{kind}() {{\n{a.destroy.format(lock='lock_')}\n}}"
        )
    elif choose.random() < 0.3:
        life = f"~{kind}() {{ left_ = 0; }}"
    # The lock stands before the members or after them: sections find both.
    lockField = f"{a.lockType} lock_{'' if isInit else begun(a.initialiser)};"
    fields = [lockField, "long left_ = 0, right_ = 0;"]
    choose.shuffle(fields)
    view = "long left() const { return left_; }\nlong right() const { return right_; }"
    body = "\n".join([life, *methods, view])
    text = f"class {kind} {{\npublic:\n{body}\n\nprivate:\n" + "\n".join(fields) + "\n};\n"
    isPointer = choose.random() < 0.4
    arrow = "->" if isPointer else "."
    if isPointer:
        storage = f"static {kind} *const {a.name} = new {kind};\n"
        a.end = f"delete {a.name};\n"
    else:
        storage = f"static {kind} {a.name};\n"
    texts = [exported(a, f"{a.name}{arrow}{one[0]}(x)", one) for one in made]
    view = shown(a, f"{a.name}{arrow}left()", f"{a.name}{arrow}right()")
    return "", [text, storage], texts, view


def staticMemberHome(a):
    kind = f"Static{a.number}"
    a.lock, a.left, a.right = f"{kind}::lock", f"{kind}::left", f"{kind}::right"
    lock = f"static inline {a.lockType} lock{begun(a.initialiser)};"
    header = f"struct {kind} {{\n{lock}\nstatic inline long left = 0, right = 0;\n}};\n"
    return header, [], free(a, operations(a)), shown(a, a.left, a.right)


def localStaticHome(a):
    """The lock is a static variable of the only function that uses it."""
    a.lock, a.left, a.right = "lock", f"left{a.number}", f"right{a.number}"
    made = operations(a)[:1]
    name, result, body, throws = made[0]
    body = f"static {a.lockType} lock{begun(a.initialiser)};\n{body}"
    numbers = f"static long {a.left}, {a.right};\n"
    return "", [numbers], free(a, [(name, result, body, throws)]), shown(a, a.left, a.right)


def counter(isC):
    """A unit with a lock around counters that nobody sees otherwise: sections for atomics, and such
    that need not be waited for. It takes no part in what is chosen for the others."""
    own = random.Random(int(sys.argv[1]) + 1)
    lockType = "pthread_mutex_t" if isC or own.random() < 0.4 else "std::mutex"
    isPosix = lockType != "std::mutex"
    begun = " = PTHREAD_MUTEX_INITIALIZER" if isPosix else ""

    def under(statement):
        if not isPosix and own.random() < 0.6:
            return f"std::lock_guard<std::mutex> guard(counterLock);\n{statement}"
        take, release = (
            ("pthread_mutex_lock(&counterLock);", "pthread_mutex_unlock(&counterLock);")
            if isPosix
            else ("counterLock.lock();", "counterLock.unlock();")
        )
        return f"{take}\n{statement}\n{release}"

    step = own.choice(["counted += x;", "counted -= -x;", "if (x > 0)\ncounted += x;"])
    more = own.choice(["++calls;", "calls++;", "counted += x - x;", "calls += x > 99 ? 2 : 1;"])
    if own.random() < 0.3:  # no atomic then
        more = "++calls;\nfor (int i = 0; i < 3; ++i)\ncounted += i - 1;"
    look = f"long now = 0;\n{{\n{under('now = counted;')}\n}}\nreturn now;"
    return (
        f"static {lockType} counterLock{begun};\nstatic long counted;\nstatic unsigned calls;\n"
        f"long countUp(long x) {{\n{{\n{under(step)}\n}}\n{{\n{under(more)}\n}}\nreturn x;\n}}\n"
        f"long countedNow(long x) {{\n{look}\n}}\n"
        f"long callsNow(long x) {{\n{look.replace('counted', 'calls')}\n}}\n"
    )


HOMES_C = [globalHome, globalHome, arrayHome, structHome, structHome, structHome, localStaticHome]
HOMES_CXX = [globalHome, globalHome, arrayHome, structHome, classHome, classHome, classHome]
HOMES_CXX += [staticMemberHome, localStaticHome]

WRAPPERS = """class Mutex {
public:
Mutex() { pthread_mutex_init(&inner_, nullptr); }
~Mutex() { pthread_mutex_destroy(&inner_); }
void lock() { pthread_mutex_lock(&inner_); }
void unlock() { pthread_mutex_unlock(&inner_); }

private:
pthread_mutex_t inner_;
};

class Guarded {
public:
void lock() { mutex_.lock(); }
void unlock() { mutex_.unlock(); }

private:
std::mutex mutex_;
};

class MutexGuard {
public:
explicit MutexGuard(Mutex *mutex) : mutex_(mutex) { mutex_->lock(); }
~MutexGuard() { mutex_->unlock(); }

private:
Mutex *const mutex_;
};

class GuardedGuard {
public:
explicit GuardedGuard(Guarded *mutex) : mutex_(mutex) { mutex_->lock(); }
~GuardedGuard() { mutex_->unlock(); }

private:
Guarded *const mutex_;
};

struct Pair {
long first, second;
};
"""

INCLUDES = ["errno.h", "pthread.h", "sched.h", "stdio.h", "stdlib.h"]
MACROS = """#define TAKE(lock) pthread_mutex_lock(&lock)
#define TAKE_IT(lock) pthread_mutex_lock(lock)
"""


def laidOut(text):
    """Indented by its braces, or not at all; without empty lines. Some lines get a comment."""
    if choose.random() < 0.1:
        return "\n".join(line for line in text.splitlines() if line) + "\n"
    lines, depth = [], 0
    for line in text.splitlines():
        if not line:
            continue
        code = line.split("//")[0].replace('"}); {', "").replace("/* { */", "")
        opened, closed = code.count("{"), code.count("}")
        leading = len(code) - len(code.lstrip("}"))
        comment = maybe(0.03, " // a } of no meaning") if line.endswith(";") else ""
        lines.append("  " * max(depth - leading, 0) + line + comment)
        depth += opened - closed
    return "\n".join(lines) + "\n"


def build(isC):
    """The files of a program, by name."""
    suffix = "c" if isC else "cpp"
    kinds, homes = (KINDS_C, HOMES_C) if isC else (KINDS_CXX, HOMES_CXX)
    accounts = [Account(number, isC) for number in range(choose.randint(3, 6))]
    units = [f"part{i}.{suffix}" for i in range(choose.randint(1, 2))]
    headers, texts = [], {unit: [] for unit in units}
    steps, views = [], {unit: [] for unit in units}
    begins, ends = {unit: [] for unit in units}, {unit: [] for unit in units}
    shared = {}
    for a in reversed(accounts):  # later accounts' locks are taken inside
        a.nested = [name for name, number in steps if number > a.number]
        a.begin = a.end = ""
        a.readGuards = []
        a.isShared = False
        oneOf(kinds)(a)
        a.peers = [one for one in shared.get(a.lockType, []) if a.lockType == "std::mutex"]
        header, definitions, functions, view = oneOf(homes)(a)
        home = oneOf(units)
        texts[home] += definitions
        for _, function in functions:
            texts[oneOf(units) if a.isShared else home].append(function)
        headers.append(header)
        views[home].append(view)
        begins[home].append(a.begin)
        ends[home].append(a.end)
        steps += [(name, a.number) for name, _ in functions]
        if a.isShared:
            shared.setdefault(a.lockType, []).append(a)
    top = [f"#include <{name}>" for name in INCLUDES]
    top += [] if isC else ["#include <mutex>", "#include <shared_mutex>"]
    names = [name for name, _ in steps]
    hooks = [f"{what}{i}" for i in range(len(units)) for what in ("begin", "show", "finish")]
    none = "void" if isC else ""
    declared = [f"long {name}(long x);" for name in names]
    declared += [f"void {hook}({none});" for hook in hooks]
    declared += [f"long {name}(long x);" for name in ("countUp", "countedNow", "callsNow")]
    declared.append("void bumpElsewhere(long *number, long by);")
    perThread = "_Thread_local" if isC else "thread_local"
    own = [
        "static inline void bump(long *number, long by) { *number += by; }",
        f"extern {perThread} long turn;",
        "extern pthread_cond_t filled;",
    ]
    guards = ["#ifndef SHARED_H", "#define SHARED_H"]
    body = ["" if isC else WRAPPERS, MACROS, *headers, *declared, *own, "#endif"]
    files = {"shared.h": "\n".join(guards + top + body)}
    for i, unit in enumerate(units):
        blocks = texts[unit]
        for hook, lines in (("begin", begins), ("show", views), ("finish", ends)):
            inner = "\n".join(line for line in lines[unit] if line)
            blocks.append(f"void {hook}{i}({none}) {{\n{inner}\n}}\n")
        files[unit] = '#include "shared.h"\n' + "\n".join(blocks)
    files[f"main.{suffix}"] = mainUnit(names, len(units), perThread)
    files[f"counter.{suffix}"] = '#include "shared.h"\n' + counter(isC)
    return {name: laidOut(text) for name, text in files.items()}


def mainUnit(names, units, perThread):
    calls = "\n".join(
        f"sum += {name}((round + {i}) % {oneOf([5, 7, 11])});" for i, name in enumerate(names)
    )
    begin, show, finish = (
        "\n".join(f"{hook}{i}();" for i in range(units)) for hook in ("begin", "show", "finish")
    )
    return f"""#include "shared.h"
{perThread} long turn = 0;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static long results;
void bumpElsewhere(long *number, long by) {{
*number += by;
}}
static void *run(void *unused) {{
long sum = 0;
(void)unused;
for (long round = 0; round < {ROUNDS}; ++round) {{
{calls}
sum += countUp(round % 7);
}}
__atomic_fetch_add(&results, sum, __ATOMIC_RELAXED);
return NULL;
}}
int main() {{
pthread_t threads[{THREADS}];
{begin}
for (int i = 0; i < {THREADS}; ++i)
if (pthread_create(&threads[i], NULL, run, NULL) != 0)
abort();
for (int i = 0; i < {THREADS}; ++i)
pthread_join(threads[i], NULL);
{show}
{finish}
printf("results %ld %ld %ld\\n", results, countedNow(0), callsNow(0));
return 0;
}}
"""


choose = random.Random(int(sys.argv[1]))
for name, contents in build(choose.random() < 0.5).items():
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
        file.write(contents)
