// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A malformed [[lock_api]] is an error at its place that says what is allowed.

// RUN: rm -rf %t && split-file %S/Inputs/lock-api-errors.toml %t && cd %t
// RUN: %clangxx %plugin_flag %plugin_arg-config=table.toml -fsyntax-only -Xclang -verify=table %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=type.toml -fsyntax-only -Xclang -verify=type %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=role.toml -fsyntax-only -Xclang -verify=role %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=negative.toml -fsyntax-only -Xclang -verify=negative %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=nameless.toml -fsyntax-only -Xclang -verify=nameless %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=memberless.toml -fsyntax-only -Xclang -verify=memberless %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=empty.toml -fsyntax-only -Xclang -verify=empty %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=twice.toml -fsyntax-only -Xclang -verify=twice %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=both.toml -fsyntax-only -Xclang -verify=both %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=name.toml -fsyntax-only -Xclang -verify=name %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=success.toml -fsyntax-only -Xclang -verify=success %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=kind.toml -fsyntax-only -Xclang -verify=kind %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=guard.toml -fsyntax-only -Xclang -verify=guard %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=key.toml -fsyntax-only -Xclang -verify=key %s
// RUN: %clangxx %plugin_flag %plugin_arg-instrument %plugin_arg-config=key.toml -fsyntax-only -Xclang -verify=key %s
// RUN: %clangxx %plugin_flag %plugin_arg-config=warned.toml -fsyntax-only -Xclang -verify=warned %s
// RUN: not %clangxx %plugin_flag %plugin_arg-instrument %plugin_arg-config=negative.toml -c %s -o %t.o
// RUN: not ls %t.o

// table-error@*:* {{cannot read configuration: table.toml:1:12: error: 'lock_api' must be tables: write [[lock_api]]}}
// type-error@*:* {{type.toml:2:12: error: 'acquire' must list names or tables { function = "name", argument = 0, success = "nonzero" }}}
// role-error@*:* {{role.toml:2:1: error: unknown key 'aquire' in [[lock_api]]; what functions do is said by acquire, acquire_shared, try_acquire, try_acquire_shared, timed_acquire, timed_acquire_shared, release, release_shared, wait, timed_wait, block, lifetime or wrapper; other keys are name, kind, type, guards or ignore}}
// negative-error@*:* {{negative.toml:2:46: error: 'argument' must be the index of the argument that is the lock, from 0}}
// nameless-error@*:* {{nameless.toml:2:12: error: the required key 'function' is missing}}
// memberless-error@*:* {{memberless.toml:1:1: error: [[lock_api]] names a type and nothing that its members do}}
// empty-error@*:* {{empty.toml:1:1: error: [[lock_api]] names no function; what functions do is said by}}
// twice-error@*:* {{twice.toml:3:12: error: 'take' has a role already, 'acquire'; a name has one role}}
// both-error@*:* {{both.toml:3:12: error: 'my::take' is no name of a member, as 'Lock'; members are named without their type}}
// name-error@*:* {{name.toml:2:12: error: 'take()' is no name of a type or function}}
// success-error@*:* {{success.toml:2:52: error: 'success' must be zero, nonzero or always}}
// kind-error@*:* {{kind.toml:2:8: error: unknown kind 'magic'; allowed are pthread_mutex, pthread_spin, pthread_rwlock, spinlock, qd, mrqd, ticket, mcs or clh}}
// guard-error@*:* {{guard.toml:3:11: error: the required key 'type' is missing}}
// key-error@*:* {{key.toml:2:33: error: unknown key 'arg' in 'acquire'; allowed are function, argument or success}}
// warned-warning@*:* {{warned.toml:1:1: unknown key 'lock_apis' has no effect; known are advice, cores, findings, group, lock_api, severity, suppress, threads}}

int main() {}
