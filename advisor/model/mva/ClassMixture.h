// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several thread classes by a method for one. A class of their mean behaviour, each weighted
// by its throughput, is solved by the method. What W exceeds o by, the W of one thread by
// itself, is divided between the classes as Schweitzer's approximation for several classes
// has it (Linearizer.h), its error taken to be the same as with the mean class: that is the
// factor of a station. So alike classes get exactly what the method says, a class that meets
// nobody waits for nobody, and a lock can have any algorithm. Throughputs follow from the
// waiting times; who knows no better weights iterates.
#pragma once

#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

struct MixtureState {
  NetworkState mean; ///< of all threads
  std::vector<ClassState> classes;
};

/// `mean` is the network of the mean class, `classes` have its stations. With a `classMethod`
/// that solves the classes by itself, the factors are 1.
Expected<MixtureState> solveMixture(const ClosedNetwork &mean, int threads,
                                    const std::vector<ClassLoad> &classes, NetworkMethod method,
                                    ClassMethod classMethod);

} // namespace qdadvise
