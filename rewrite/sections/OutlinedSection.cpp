// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/OutlinedSection.h"

#include "rewrite/sections/SectionContents.h"
#include "rewrite/sections/SectionNames.h"
#include "rewrite/uses/Locations.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace qdadvise {
namespace {

/// Has the type no name outside of the function?
bool isLocalType(QualType type) {
  for (;;) {
    if (const auto *alias = type->getAs<TypedefType>()) {
      if (alias->getDecl()->getDeclContext()->isFunctionOrMethod())
        return true;
      if (alias->getDecl()->getDeclContext()->isTranslationUnit())
        return false;
    }
    if (const QualType pointee = type->getPointeeType(); !pointee.isNull())
      type = pointee;
    else if (const Type *element = type->getArrayElementTypeNoTypeQual())
      type = QualType(element, 0);
    else
      break;
  }
  const TagDecl *tag = type->getAsTagDecl();
  // The compiler's own, which a parameter of type va_list points to, cannot be declared again.
  return tag && (tag->getDeclContext()->isFunctionOrMethod() || !tag->getIdentifier() ||
                 tag->isImplicit());
}

bool containsWord(llvm::StringRef text, llvm::StringRef word) {
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (std::size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1))
    if ((at == 0 || !isPart(text[at - 1])) &&
        (at + word.size() == text.size() || !isPart(text[at + word.size()])))
      return true;
  return false;
}

bool hasDirective(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 16> lines;
  text.split(lines, '\n');
  return llvm::any_of(lines, [](llvm::StringRef line) { return line.ltrim().starts_with("#"); });
}

/// The lines of a text, with `to` instead of `from` before each.
std::string reindented(llvm::StringRef text, llvm::StringRef from, llvm::StringRef to) {
  std::string result;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.consume_front(from))
      result += to;
    result += line;
    if (line.size() < text.size() && text.contains('\n'))
      result += '\n';
    text = rest;
  }
  return result;
}

class Outliner {
public:
  Outliner(const SectionShape &sectionShape, const std::string &lockText, ASTContext &astContext)
      : shape(sectionShape), lock(lockText), context(astContext),
        sources(astContext.getSourceManager()) {}

  Outlined run() {
    const auto acquire = rangeOf(*shape.acquire), last = rangeOf(shape.last());
    // The type of what it returns may be a macro: `bool`.
    const SourceRange written = shape.function->getSourceRange();
    const auto around =
        textOf({sources.getExpansionLoc(written.getBegin()), written.getEnd()}, context);
    if (!around)
      forbid(Gate::macro, shape.function->getBeginLoc(), "the function");
    if (result.gate)
      return std::move(result);
    file = sources.getBufferData(sources.getFileID(written.getEnd()));
    functionText = file.substr(around->offset, around->length);
    const llvm::StringRef all = file.slice(acquire->offset, last->end());
    if (hasDirective(all))
      forbid(Gate::inactiveCode, shape.acquire->getBeginLoc(), "a directive is within it");
    const SourceLocation in = shape.acquire->getBeginLoc();
    indent = indentOf(*acquire, in, context).value_or("");
    unit = unitOfIndent();
    chooseNames(*around);
    findCaptures();
    const unsigned begin = acquire->end();
    const unsigned end = shape.release ? last->offset : last->end();
    std::string rests;
    for (const SectionExit &exit : shape.exits)
      leave(exit, rests);
    if (result.gate)
      return std::move(result);
    const std::string body = bodyOf(begin, end);
    TextRange before = *around;
    before.offset = static_cast<unsigned>(beginOfComment(around->offset));
    before.length = 0;
    result.edits.push_back({before, structOf(false) + functionOf(name, body), false, "",
                            detachedFunctionOf(body), carryingFunctionOf(body), ""});
    TextRange whole = *acquire;
    whole.length = last->end() - acquire->offset;
    result.edits.push_back(callOf(whole, rests));
    return std::move(result);
  }

private:
  struct Capture {
    std::string name, member; ///< the member's declaration
    bool isValue = false;
    std::string local, type; ///< its declaration in the function, of a value; and its type
    bool isWord = false;     ///< a value that a pointer can be instead
    bool isDeclared = false; ///< in the section, and used after it
  };

  void forbid(Gate gate, SourceLocation at, std::string detail) {
    if (result.gate)
      return;
    result.gate = gate;
    result.at = at;
    result.detail = std::move(detail);
  }

  std::optional<TextRange> rangeOf(const Stmt &statement) {
    const auto text = statementText(statement, context);
    if (!text)
      forbid(Gate::macro, statement.getBeginLoc(), "a statement of the section");
    return text;
  }

  /// What the function's own statements are indented by.
  std::string unitOfIndent() const {
    const auto *body = cast<CompoundStmt>(shape.function->getBody());
    for (const Stmt *one : body->body())
      if (const auto text = statementText(*one, context))
        if (const auto blanks = indentOf(*text, one->getBeginLoc(), context);
            blanks && !blanks->empty())
          return *blanks;
    return "  ";
  }

  /// Two sections of one function have two names, whatever becomes of either.
  void chooseNames(const TextRange &around) {
    const unsigned at =
        sources.getFileOffset(sources.getExpansionLoc(shape.acquire->getBeginLoc()));
    const llvm::StringRef before = file.slice(around.offset, at);
    const std::size_t number = before.count("lock(") - before.count("unlock(") + 1;
    name = shape.function->getNameAsString() + "_section" +
           (number == 1 ? "" : std::to_string(number));
    while (containsWord(file, name) || containsWord(file, name + "_body"))
      name += "_";
    for (std::string *one : {&variable, &parameter, &exitMember, &errnoMember})
      while (containsWord(functionText, *one))
        *one += "_";
  }

  void findCaptures() {
    const SectionNames inside = namesIn(shape.contents, shape.exitStatements());
    const SectionNames whole = namesIn({shape.function->getBody()});
    if (inside.localConstant)
      forbid(Gate::stackFrame, inside.localConstant->getBeginLoc(), "a constant of the function");
    std::map<unsigned, const VarDecl *> ordered;
    for (const auto &[named, uses] : inside.uses)
      ordered.emplace(named->getLocation().getRawEncoding(), named);
    for (const auto &[place, captured] : ordered) {
      const bool escapes = std::ranges::any_of(
          shape.escaping, [&](const EscapingVariable &one) { return one.variable == captured; });
      if (!captured->isLocalVarDeclOrParm() || (inside.declared.contains(captured) && !escapes))
        continue;
      const bool isValue = captured->hasLocalStorage() && captured->getType()->isScalarType() &&
                           !captured->getType().isVolatileQualified() && !escapes &&
                           !whole.addressed.contains(captured) && inside.isOnlyRead(captured);
      addCapture(*captured, isValue, escapes, inside.uses.at(captured));
    }
    // One that is declared in the section and only used after it.
    for (const EscapingVariable &one : shape.escaping) {
      if (!inside.uses.contains(one.variable))
        addCapture(*one.variable, false, true, {});
      moveDeclaration(one);
    }
  }

  void addCapture(const VarDecl &captured, bool isValue, bool isDeclared,
                  const std::vector<const DeclRefExpr *> &uses) {
    const SourceLocation at = uses.empty() ? captured.getLocation() : uses.front()->getBeginLoc();
    const std::string spelledName = captured.getNameAsString();
    if (captured.hasExternalStorage() || isLocalType(captured.getType()))
      forbid(Gate::stackFrame, at, "'" + spelledName + "', whose declaration is the function's");
    if (!isValue && captured.getStorageClass() == SC_Register)
      forbid(Gate::stackFrame, at, "'" + spelledName + "' is in a register");
    Capture capture;
    capture.name = spelledName;
    capture.isValue = isValue;
    capture.isDeclared = isDeclared;
    const PrintingPolicy policy(context.getPrintingPolicy());
    const QualType type = isValue ? captured.getType().getUnqualifiedType()
                                  : context.getPointerType(captured.getType());
    capture.member = spelledName;
    type.getAsStringInternal(capture.member, policy);
    capture.local = spelledName;
    captured.getType().getAsStringInternal(capture.local, policy);
    capture.type = type.getAsString(policy);
    capture.isWord = isValue && (type->isIntegralOrEnumerationType() || type->isPointerType()) &&
                     context.getTypeSize(type) <= context.getTypeSize(context.VoidPtrTy);
    captures.push_back(std::move(capture));
    if (isValue)
      return;
    for (const DeclRefExpr *use : uses)
      replaceName(*use);
  }

  void replaceName(const DeclRefExpr &use) {
    SourceLocation at = use.getLocation();
    if (sources.isMacroArgExpansion(at))
      at = sources.getFileLoc(at);
    const auto text = textOf({at, at}, context);
    if (!text || spelled(*text, at, context) != use.getDecl()->getName()) {
      forbid(Gate::macro, use.getBeginLoc(), "'" + use.getDecl()->getNameAsString() + "'");
      return;
    }
    replaced[text->offset] = {text->end(),
                              "(*" + variable + "->" + use.getDecl()->getNameAsString() + ")"};
  }

  void moveDeclaration(const EscapingVariable &one) {
    const auto statement = rangeOf(*one.statement);
    const auto named = textOf({one.variable->getLocation(), one.variable->getLocation()}, context);
    if (!statement || !named) {
      forbid(Gate::macro, one.variable->getLocation(), "a declaration");
      return;
    }
    declarations += indent + unit + file.slice(statement->offset, named->end()).str() + ";\n";
    if (one.variable->hasInit())
      replaced[statement->offset] = {named->end(), "(*" + variable + "->" +
                                                       one.variable->getNameAsString() + ")"};
    else
      replaced[statement->offset] = {statement->end(), ""};
  }

  /// Writes an exit into the body, and what follows it into `rests`.
  void leave(const SectionExit &exit, std::string &rests) {
    const auto release = rangeOf(*exit.release);
    const auto end = exit.rest.empty() ? release : rangeOf(*exit.rest.back());
    if (!release || !end)
      return;
    if (exit.rest.empty()) {
      replaced[release->offset] = {release->end(), "return 0;"};
      return;
    }
    ++exits;
    const std::string set = variable + "->" + exitMember + " = " + std::to_string(exits) + ";";
    const std::string inner =
        indentOf(*release, exit.release->getBeginLoc(), context).value_or(indent + unit);
    replaced[release->offset] = {end->end(), set + "\n" + inner + "return 0;"};
    const llvm::StringRef rest = file.slice(release->end(), end->end()).rtrim();
    rests += rests.empty() ? indent + unit + "if (" : " else if (";
    rests += variable + "." + exitMember + " == " + std::to_string(exits) + ") {" +
             reindented(rest, inner, indent + unit + unit) + "\n" + indent + unit + "}";
  }

  /// The text between two places, with all that is replaced in it.
  std::string bodyOf(unsigned begin, unsigned end) const {
    std::string body;
    unsigned at = begin;
    for (const auto &[offset, replacement] : replaced) {
      if (offset < at || offset >= end) // within what was replaced already
        continue;
      body += file.slice(at, offset);
      body += replacement.second;
      at = replacement.first;
    }
    body += file.slice(at, end);
    return reindented(llvm::StringRef(body).rtrim(), indent, unit);
  }

  /// Where the lines of comment before the function begin.
  std::size_t beginOfComment(std::size_t function) const {
    std::size_t begin = file.take_front(function).rfind('\n') + 1;
    while (begin > 0) {
      const std::size_t previous = begin < 2 ? 0 : file.take_front(begin - 1).rfind('\n') + 1;
      const llvm::StringRef line = file.slice(previous, begin - 1).trim();
      const bool isComment = line.starts_with("//") || line.starts_with("/*") ||
                             line.starts_with("*") || line.ends_with("*/");
      if (!isComment)
        break;
      begin = previous;
    }
    return begin;
  }

  bool hasStruct() const { return exits > 0 || !captures.empty(); }

  std::string structOf(bool carriesErrno) const {
    if (!hasStruct() && !carriesErrno)
      return "";
    std::string text = "struct " + name + " {\n";
    if (exits > 0)
      text += unit + "int " + exitMember + ";\n";
    if (carriesErrno)
      text += unit + "int *" + errnoMember + ";\n";
    for (const Capture &capture : captures)
      text += unit + capture.member + ";\n";
    return text + "};\n\n";
  }

  /// `static void *name(void *argument) {`
  std::string headOf(const std::string &function) const {
    return (shape.function->isInlineSpecified() ? "static inline void *" : "static void *") +
           function + "(void *" + parameter + ") {\n";
  }

  std::string functionOf(const std::string &function, const std::string &body) const {
    std::string text = headOf(function);
    text += hasStruct() ? unit + "struct " + name + " *" + variable + " = " + parameter + ";\n"
                        : unit + "(void)" + parameter + ";\n";
    for (const Capture &capture : captures)
      if (capture.isValue)
        text += unit + capture.local + " = " + variable + "->" + capture.name + ";\n";
    return text + withoutEmptyLines(body) + "\n" + unit + "return 0;\n}\n\n";
  }

  /// The thread that executes it has an errno of its own; that of the other one, which waits, is
  /// what the section finds and leaves.
  std::string carryingFunctionOf(const std::string &body) const {
    const std::string carried = "*" + variable + "->" + errnoMember;
    std::string text = structOf(true) + functionOf(name + "_body", body) + headOf(name);
    const auto line = [&](const std::string &statement) { text += unit + statement + ";\n"; };
    line("struct " + name + " *" + variable + " = " + parameter);
    line("int own_errno = errno, left_errno");
    line("errno = " + carried);
    line(name + "_body(" + parameter + ")");
    line("left_errno = errno");
    line("errno = own_errno"); // before that of the other thread, which may be this one
    line(carried + " = left_errno");
    return text + unit + "return 0;\n}\n\n";
  }

  /// May it run when its function went on? Its argument is a value then.
  bool canDetach() const {
    return exits == 0 && declarations.empty() && captures.size() <= 1 &&
           std::ranges::all_of(captures, [](const Capture &one) { return one.isWord; });
  }

  std::optional<std::string> detachedFunctionOf(const std::string &body) const {
    if (!canDetach())
      return std::nullopt;
    std::string text = shape.function->isInlineSpecified() ? "static inline " : "static ";
    text += "void " + name + "(void *" + parameter + ") {\n" + unit;
    text += captures.empty() ? "(void)" + parameter
                             : captures.front().local + " = (" + captures.front().type +
                                   ")(intptr_t)" + parameter;
    return text + ";\n" + withoutEmptyLines(body) + "\n}\n\n";
  }

  static std::string withoutEmptyLines(llvm::StringRef body) {
    while (body.consume_front("\n") || body.consume_front(" \n"))
      ;
    return body.str();
  }

  std::optional<std::string> detachedArguments() const {
    if (!canDetach())
      return std::nullopt;
    return "(&" + lock + ", " + name +
           (captures.empty() ? ", 0);" : ", (void *)(intptr_t)" + captures.front().name + ");");
  }

  SectionEdit callOf(const TextRange &whole, const std::string &rests) const {
    SectionEdit edit{whole, "", true, "(&" + lock + ", " + name + ", 0);", detachedArguments(),
                     {},    ""};
    if (hasStruct()) {
      edit.replacement = beforeCall(false);
      edit.after = afterCall(rests);
    }
    edit.carrying = beforeCall(true);
    edit.carryingAfter = afterCall(rests);
    return edit;
  }

  /// The struct for a call, in braces.
  std::string beforeCall(bool carriesErrno) const {
    std::string values = exits > 0 ? "0" : "";
    const auto add = [&](const std::string &value) {
      values += (values.empty() ? "" : ", ") + value;
    };
    if (carriesErrno)
      add("&errno");
    for (const Capture &capture : captures)
      add((capture.isValue ? "" : "&") + capture.name);
    // What is declared there and used after the section is not in braces of its own.
    std::string before = declarations.empty() ? "" : llvm::StringRef(declarations).ltrim().str();
    before = reindented(before, indent + unit, indent);
    return before + (before.empty() ? "" : indent) + "{\n" + indent + unit + "struct " + name +
           " " + variable + " = {" + values + "};\n" + indent + unit;
  }

  std::string afterCall(const std::string &rests) const {
    return "(&" + lock + ", " + name + ", &" + variable + ");\n" +
           (rests.empty() ? "" : rests + "\n") + indent + "}";
  }

  const SectionShape &shape;
  const std::string &lock;
  ASTContext &context;
  const SourceManager &sources;
  llvm::StringRef file, functionText;
  std::string indent, unit, name, declarations;
  std::string variable = "section", parameter = "argument", exitMember = "section_exit",
              errnoMember = "section_errno";
  std::vector<Capture> captures;
  std::map<unsigned, std::pair<unsigned, std::string>> replaced; ///< by offset: its end, the text
  int exits = 0;
  Outlined result;
};

} // namespace

Outlined outline(const SectionShape &shape, const std::string &lock, ASTContext &context) {
  return Outliner(shape, lock, context).run();
}

} // namespace qdadvise
