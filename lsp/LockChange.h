// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edits that change a lock in all files, as `qdadvise apply` plans them.
#pragma once

#include "advisor/support/Error.h"
#include "lsp/Workspace.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace qdadvise {

struct LockChange {
  llvm::json::Object edit; ///< a workspace edit
  bool isEmpty = true;     ///< apply refused: `message` says why
  std::string message;
};

/// What apply prints of one lock, as a message: some editors show one line of it.
std::string messageOf(llvm::StringRef summary);

/// What the client takes in a workspace edit.
struct EditCapabilities {
  bool documentChanges = false, annotations = false;
};

/// Reads the whole program, as it is on disk.
Expected<LockChange> planLockChange(const Document &document, const std::string &lock,
                                    const Workspace &workspace,
                                    const EditCapabilities &capabilities);

} // namespace qdadvise
