// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gates: what keeps a lock from being rewritten. Their table is the only list of them;
// docs/reference/gates.md is printed from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qdadvise {

enum class Gate {
  addressTaken,
  alignment,
  attribute,
  behindPointer,
  bytesCopied,
  commentInside,
  completion,
  conditionVariable,
  controlFlow,
  declaration,
  delegation,
  doesNotCompile,
  doesNotParse,
  errnoSet,
  guardType,
  guardUsed,
  handedOn,
  inactiveCode,
  initialiser,
  innerLock,
  integerUse,
  lifetime,
  lockType,
  macro,
  mixedLanguages,
  mutexAttributes,
  nativeHandle,
  noForm,
  noSite,
  notWritable,
  oneAccess,
  pointerEscapes,
  pointerOrigin,
  recursion,
  resultUsed,
  sectionShape,
  sharedClass,
  sharedOperation,
  stackFrame,
  templateCode,
  threadLocal,
  timedOperation,
  unknownUse,
  unseenCall,
  waits,
};

struct GateInfo {
  Gate gate;
  std::string_view name;    ///< stable: in summaries, tests and documents
  std::string_view message; ///< after "refused: "
  std::string_view why;     ///< for the page: why it is in the way, and what to do
  bool isAQuestion = false; ///< a person can answer it: `--accept`
};

const GateInfo &infoOf(Gate gate);

/// The names of the gates that a person can answer, and one of them by its name.
std::vector<std::string> questions();
const GateInfo *findQuestion(std::string_view name);

/// The rows of the table in docs/reference/gates.md.
std::string gatesAsMarkdown();

} // namespace qdadvise
