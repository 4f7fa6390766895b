// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Findings.h"

#include "advisor/advice/DiagnosticText.h"

#include <algorithm>
#include <set>

namespace qdadvise {

void FileFindings::follow(const Edit &edit) {
  std::set<std::size_t> changed, removed;
  for (std::size_t i = 0; i != sites.size(); ++i) {
    AdvisedSite &site = sites[i];
    if (site.gone)
      continue;
    const Touch ofToken = qdadvise::follow(site.at, edit);
    const Touch ofSection = qdadvise::follow(site.section, edit);
    if (site.declaration && qdadvise::follow(*site.declaration, edit) == Touch::removed)
      site.declaration.reset();
    if (ofToken == Touch::removed && ofSection == Touch::removed) {
      site.gone = true;
      removed.insert(i);
    } else if (ofToken != Touch::outside || ofSection != Touch::outside) {
      if (!site.stale)
        changed.insert(i);
      site.stale = true;
    }
  }
  std::vector<Finding> rest;
  for (Finding &finding : findings) {
    const bool isGone = qdadvise::follow(finding.at, edit) == Touch::removed;
    if (finding.site ? !removed.contains(*finding.site) && !changed.contains(*finding.site)
                     : !isGone)
      rest.push_back(std::move(finding));
  }
  for (const std::size_t i : changed) {
    if (sites[i].advice.keep)
      continue;
    Finding stale;
    stale.at = sites[i].at;
    stale.severity = llvm::lsp::DiagnosticSeverity::Information;
    stale.text = staleMessage(sites[i].advice);
    stale.site = i;
    rest.push_back(std::move(stale));
  }
  findings = std::move(rest);
}

} // namespace qdadvise
