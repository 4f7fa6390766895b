// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of network.toml, for its reader and its writer.
#pragma once

#include "advisor/network/Network.h"
#include "runtime/abi/site_record.h"

#include <array>
#include <utility>

namespace qdadvise {

inline constexpr std::array<std::pair<const char *, Distribution>, 5> distributionNames{{
    {"exponential", Distribution::exponential},
    {"deterministic", Distribution::deterministic},
    {"uniform", Distribution::uniform},
    {"lognormal", Distribution::lognormal},
    {"gamma", Distribution::gamma},
}};

/// The roles of sites in a network.
inline constexpr std::array<std::pair<const char *, SiteRole>, 3> siteRoleNames{{
    {"acquire", SiteRole::acquire},
    {"wait", SiteRole::wait},
    {"wrapper", SiteRole::wrapper},
}};
inline constexpr std::array<std::pair<const char *, SiteFlags>, 9> siteFlagNames{{
    {"try", siteTry},
    {"timed", siteTimed},
    {"shared", siteShared},
    {"recursive", siteRecursive},
    {"conditional", siteConditional},
    {"by-caller", siteByCaller},
    {"inner", siteInner},
    {"any-lock", siteAnyLock},
    {"waits", siteWaits},
}};

} // namespace qdadvise
