# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small C++ program with locks to standard output, another one for each seed. Its threads
add numbers under the locks, in the forms that `qdadvise apply` changes; it ends with 0 if the sums
are right.

  generate.py SEED
"""

import random
import sys

choose = random.Random(int(sys.argv[1]))
THREADS, ROUNDS = 3, 200


def takeStandard(lock, work):
    return choose.choice(
        [
            f"std::lock_guard<std::mutex> guard({lock});\n{work}",
            f"std::lock_guard guard({lock});\n{work}",
            f"std::unique_lock<std::mutex> guard({lock});\n{work}",
            f"std::scoped_lock guard({lock});\n{work}",
            f"{lock}.lock();\n{work}\n{lock}.unlock();",
            f"while (!{lock}.try_lock())\nstd::this_thread::yield();\n{work}\n{lock}.unlock();",
        ]
    )


def takePosix(lock, work):
    return choose.choice(
        [
            f"pthread_mutex_lock(&{lock});\n{work}\npthread_mutex_unlock(&{lock});",
            f"while (pthread_mutex_trylock(&{lock}) != 0)\nstd::this_thread::yield();\n{work}\n"
            f"pthread_mutex_unlock(&{lock});",
            f"if (pthread_mutex_lock(&{lock}) != 0)\nreturn;\n{work}\n"
            f"pthread_mutex_unlock(&{lock});",
        ]
    )


def account(number):
    """A class or variables with a lock and a sum: the text, calls with what they add, the sum."""
    isPosix = choose.random() < 0.5
    isMember = choose.random() < 0.6
    take = takePosix if isPosix else takeStandard
    kind = "pthread_mutex_t" if isPosix else "std::mutex"
    initialiser = " = PTHREAD_MUTEX_INITIALIZER" if isPosix else ""
    isInit = isPosix and isMember and choose.random() < 0.5
    lock, total = ("lock_", "sum_") if isMember else (f"lock{number}", f"sum{number}")
    steps, operations = [], []
    for operation in range(choose.randint(1, 3)):
        step = choose.randint(1, 9)
        loop = f"for (int i = 0; i < {step}; ++i)\n++{total};"
        work = choose.choice([f"{total} += {step};", loop])
        name = f"add{operation}" if isMember else f"add{number}_{operation}"
        begin = "void" if isMember else "static void"
        operations.append(f"{begin} {name}() {{\n{take(lock, work)}\n}}")
        steps.append((f"account{number}.{name}();" if isMember else f"{name}();", step))
    fields = f"{kind} {lock}{'' if isInit else initialiser};\nlong {total} = 0;"
    if not isMember:
        fields = "".join(f"static {line}\n" for line in fields.splitlines())
        return fields + "\n" + "\n".join(operations), steps, total
    name = f"Account{number}"
    life = ""
    if isInit:
        life = (
            f"{name}() {{\npthread_mutex_init(&lock_, nullptr);\n}}\n"
            f"~{name}() {{\npthread_mutex_destroy(&lock_);\n}}\n"
        )
    body = life + "\n".join(operations) + "\nlong sum() const { return sum_; }"
    text = f"class {name} {{\npublic:\n{body}\n\nprivate:\n{fields}\n}};\n"
    return text + f"static {name} account{number};", steps, f"account{number}.sum()"


accounts = [account(number) for number in range(choose.randint(1, 4))]
print("#include <mutex>\n#include <pthread.h>\n#include <thread>\n")
print("\n\n".join(text for text, _, _ in accounts))
calls = [step[0] for _, steps, _ in accounts for step in steps]
choose.shuffle(calls)
body = "\n".join(calls)
loop = f"for (int round = 0; round < {ROUNDS}; ++round) {{\n{body}\n}}"
print(f"\nstatic void work() {{\n{loop}\n}}\n")
threads = "".join(f"std::thread t{i}(work);\n" for i in range(THREADS))
joins = "".join(f"t{i}.join();\n" for i in range(THREADS))
sums = " && ".join(
    f"{total} == {sum(step for _, step in steps) * ROUNDS * THREADS}"
    for _, steps, total in accounts
)
print(f"int main() {{\n{threads}{joins}return {sums} ? 0 : 1;\n}}")
