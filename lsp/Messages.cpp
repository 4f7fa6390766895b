// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Messages.h"

namespace json = llvm::json;

namespace qdadvise {

bool fromJSON(const json::Value &value, DocumentParams &result, json::Path path) {
  json::ObjectMapper object(value, path);
  return object && object.map("textDocument", result.textDocument);
}

bool fromJSON(const json::Value &value, DocumentRangeParams &result, json::Path path) {
  json::ObjectMapper object(value, path);
  return object && object.map("textDocument", result.textDocument) &&
         object.map("range", result.range);
}

bool fromJSON(const json::Value &value, LockCommandParams &result, json::Path path) {
  json::ObjectMapper object(value, path);
  if (!object || !object.map("command", result.command))
    return false;
  const json::Array *arguments = value.getAsObject()->getArray("arguments");
  if (!arguments || arguments->size() != 2) {
    path.field("arguments").report("expected [uri, lock]");
    return false;
  }
  return fromJSON((*arguments)[0], result.uri, path.field("arguments").index(0)) &&
         json::fromJSON((*arguments)[1], result.lock, path.field("arguments").index(1));
}

bool fromJSON(const json::Value &value, AnyParams &result, json::Path) {
  result.value = value;
  return true;
}

json::Value toJSON(const AnyParams &params) { return params.value; }

bool isTrue(const json::Value &value, std::initializer_list<llvm::StringRef> keys) {
  const json::Value *at = &value;
  for (const llvm::StringRef key : keys) {
    const json::Object *object = at->getAsObject();
    at = object ? object->get(key) : nullptr;
    if (!at)
      return false;
  }
  return at->getAsBoolean().value_or(false);
}

} // namespace qdadvise
