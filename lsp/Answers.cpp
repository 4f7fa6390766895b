// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Answers.h"

#include "advisor/support/Format.h"
#include "lsp/AdviceText.h"
#include "lsp/Positions.h"

#include <algorithm>
#include <set>

namespace json = llvm::json;

namespace qdadvise {
namespace {

using Sites = std::vector<const AdvisedSite *>;

Sites sitesThere(const Document &document) {
  Sites sites;
  for (const AdvisedSite &site : document.findings.sites)
    if (!site.gone)
      sites.push_back(&site);
  return sites;
}

/// Those whose lock is declared at an offset, else those of the innermost section around it.
Sites sitesAt(const Document &document, std::size_t offset) {
  Sites declared, around;
  for (const AdvisedSite *site : sitesThere(document)) {
    if (site->declaration && site->declaration->contains(offset) && declared.empty())
      declared.push_back(site);
    if (site->section.contains(offset) || site->at.contains(offset))
      around.push_back(site);
  }
  if (!declared.empty() || around.empty())
    return declared;
  const std::size_t innermost = (*std::ranges::max_element(around, {}, [](const AdvisedSite *site) {
                                  return site->section.begin;
                                }))->section.begin;
  std::erase_if(around, [&](const AdvisedSite *site) { return site->section.begin != innermost; });
  return around;
}

// LLVM's JSON owns strings, and only points to a StringRef.
json::Object commandFor(llvm::StringLiteral command, const std::string &title,
                        const Document &document, const AdvisedSite &site) {
  return json::Object{{"title", title},
                      {"command", command},
                      {"arguments", json::Array{document.uri.uri().str(), site.advice.lock}}};
}

/// A comment of its own line above the site, as far indented.
json::Object keepEdit(const Document &document, const AdvisedSite &site) {
  const llvm::StringRef text = document.text;
  const std::size_t begin = text.take_front(site.at.begin).find_last_of("\r\n") + 1;
  const llvm::StringRef line = text.substr(begin);
  const llvm::StringRef indent =
      line.take_front(std::min(line.find_first_not_of(" \t"), line.size()));
  const llvm::lsp::Position at = positionOf(text, begin);
  json::Object edit{{"range", llvm::lsp::Range(at)},
                    {"newText", (indent + "// qdadvise: keep (say why)\n").str()}};
  return json::Object{
      {"changes", json::Object{{document.uri.uri().str(), json::Array{std::move(edit)}}}}};
}

} // namespace

llvm::lsp::PublishDiagnosticsParams diagnosticsOf(const Document &document) {
  llvm::lsp::PublishDiagnosticsParams params(document.uri, document.version);
  for (const Finding &finding : document.findings.findings) {
    llvm::lsp::Diagnostic diagnostic;
    diagnostic.range = rangeOf(document.text, finding.at);
    diagnostic.severity = finding.severity;
    diagnostic.source = "qdadvise";
    diagnostic.message = finding.text;
    std::vector<llvm::lsp::DiagnosticRelatedInformation> related;
    for (const FindingNote &note : finding.notes) {
      llvm::Expected<llvm::lsp::URIForFile> uri =
          note.file == document.path ? document.uri : llvm::lsp::URIForFile::fromFile(note.file);
      if (!uri) {
        llvm::consumeError(uri.takeError());
        continue;
      }
      related.emplace_back(llvm::lsp::Location(*uri, note.range), note.text);
    }
    if (!related.empty())
      diagnostic.relatedInformation = std::move(related);
    params.diagnostics.push_back(std::move(diagnostic));
  }
  return params;
}

json::Value hoverAt(const Document &document, llvm::lsp::Position position) {
  std::string text;
  std::set<std::string> said;
  const Sites sites = sitesAt(document, offsetOf(document.text, position));
  for (const AdvisedSite *site : sites)
    if (said.insert(site->advice.lock).second)
      text += (text.empty() ? "" : "\n---\n\n") + hoverText(site->advice, site->stale);
  if (text.empty())
    return nullptr;
  llvm::lsp::Hover hover(rangeOf(document.text, sites.front()->at));
  hover.contents.value = std::move(text);
  return toJSON(hover);
}

json::Array lensesOf(const Document &document) {
  json::Array lenses;
  for (const AdvisedSite *site : sitesThere(document))
    lenses.push_back(
        json::Object{{"range", rangeOf(document.text, site->at)},
                     {"command", commandFor(explainCommand, verdictLine(site->advice, site->stale),
                                            document, *site)}});
  return lenses;
}

json::Array actionsIn(const Document &document, const llvm::lsp::Range &range) {
  Sites sites = sitesAt(document, offsetOf(document.text, range.start));
  for (const AdvisedSite *site : sitesThere(document)) {
    const int line = positionOf(document.text, site->at.begin).line;
    if (range.start.line <= line && line <= range.end.line &&
        std::ranges::find(sites, site) == sites.end())
      sites.push_back(site);
  }
  json::Array actions;
  std::set<std::string> changed, explained;
  for (const AdvisedSite *site : sites) {
    const Advice &advice = site->advice;
    if (!advice.keep && !site->stale && changed.insert(advice.lock).second) {
      const std::string title =
          "Make " + advice.lock + " " + withArticle(advice.label) + ", in all files";
      actions.push_back(
          json::Object{{"title", title},
                       {"kind", "refactor.rewrite"},
                       {"command", commandFor(applyCommand, title, document, *site)}});
    }
    if (explained.insert(advice.lock).second)
      actions.push_back(json::Object{
          {"title", "Explain the advice for " + advice.lock},
          {"kind", "quickfix"},
          {"command", commandFor(explainCommand, "Explain " + advice.lock, document, *site)}});
    if (!advice.keep)
      actions.push_back(json::Object{{"title", "Silence the advice for " + advice.lock + " here"},
                                     {"kind", "quickfix"},
                                     {"edit", keepEdit(document, *site)}});
  }
  return actions;
}

std::string explanationOf(const Document &document, llvm::StringRef lock) {
  for (const AdvisedSite *site : sitesThere(document))
    if (site->advice.lock == lock)
      return explanation(site->advice, site->stale);
  return "";
}

} // namespace qdadvise
