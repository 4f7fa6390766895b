// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages from a file descriptor, for LLVM's transport. It passes on nothing that the transport
// would end on, or that would take memory or stack without bound.
#pragma once

#include "llvm/Support/LSP/Transport.h"

#include <functional>
#include <string>

namespace qdadvise {

class StreamInput : public llvm::lsp::JSONTransportInput {
public:
  /// `complain` hears what is skipped, `idle` is called while nothing arrives, once a second.
  StreamInput(int theDescriptor, std::function<void(const std::string &)> onFault,
              std::function<void()> whenIdle)
      : descriptor(theDescriptor), complain(std::move(onFault)), idle(std::move(whenIdle)) {}

  /// Calls `ready` whenever this other descriptor can be read from.
  void listenTo(int theOther, std::function<void()> whenReady) {
    other = theOther;
    ready = std::move(whenReady);
  }

  bool hasError() const override { return failed; }
  bool isEndOfInput() const override { return ended; }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &json) override;

private:
  /// Reads more of the stream; false at its end.
  bool fill();
  bool readLine(std::string &line);
  bool readBytes(std::size_t count, std::string *into);

  int descriptor;
  std::function<void(const std::string &)> complain;
  std::function<void()> idle;
  int other = -1; ///< none: poll passes it over
  std::function<void()> ready;
  std::string pending;
  bool ended = false, failed = false;
};

/// What is wrong with a message; "" for one that the transport takes.
std::string faultOf(llvm::StringRef message);

} // namespace qdadvise
