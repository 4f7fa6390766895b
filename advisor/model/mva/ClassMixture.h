// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several thread classes by a method for one class (docs/theory/classes.md, equations (CL1) and
// (CL6) to (CL8)). The method solves the mean class, in which each class has the weight of its
// throughput. The wait for others, W - o, is divided between the classes by Schweitzer's
// approximation (Linearizer.h), but for what threads that find the lock free wait for its lines
// (CL8), and less of it for those that are soon back (CL11). Its error is taken to be the same as
// with the mean class: that is the factor of a station. So equal classes get exactly what the
// method says, a class that meets nobody waits for nobody, and a lock can have any algorithm.
// Throughputs follow from the waiting times, so that the weights are found by iteration.
#pragma once

#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

struct MixtureState {
  NetworkState mean; ///< of all threads
  std::vector<ClassState> classes;
};

/// `mean` is the network of the mean class; `classes` have its stations. It has them by their
/// `rates`, in cycles per nanosecond. A `classMethod` solves the classes by itself, with factors
/// of 1.
Expected<MixtureState> solveMixture(const ClosedNetwork &mean, int threads,
                                    const std::vector<ClassLoad> &classes,
                                    const std::vector<double> &rates, NetworkMethod method,
                                    ClassMethod classMethod);

} // namespace qdadvise
