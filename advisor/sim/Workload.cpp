// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Workload.h"

#include "advisor/model/workload/Workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qdadvise::sim {
namespace {

/// Deals out `count` threads, each to the kind whose share is furthest behind (Webster's method).
void deal(std::vector<ThreadPlan> &plan, const std::vector<ThreadPlan> &kinds,
          const std::vector<double> &shares, int count) {
  std::vector<int> given(kinds.size(), 0);
  for (int i = 0; i < count; ++i) {
    std::size_t best = 0;
    for (std::size_t kind = 1; kind < kinds.size(); ++kind)
      if (shares[kind] * (2 * given[best] + 1) > shares[best] * (2 * given[kind] + 1))
        best = kind;
    ++given[best];
    plan.push_back(kinds[best]);
  }
}

} // namespace

std::vector<RoutingSteps> routingSteps(const Network &network) {
  std::vector<double> insideNs(network.sections.size(), 0);
  for (std::size_t i = 0; i < network.sections.size(); ++i) {
    double visits = 1;
    std::size_t outermost = i;
    for (; network.sections[outermost].inside; outermost = *network.sections[outermost].inside)
      visits *= network.sections[outermost].visits;
    insideNs[outermost] += visits * network.sections[i].hold.mean;
  }
  std::vector<RoutingSteps> result;
  for (const Traffic &one : trafficOf(network)) {
    RoutingSteps &steps = result.emplace_back();
    steps.stepNs.assign(network.sections.size(), 0);
    for (const Transition &transition : network.transitions)
      if (network.classes[transition.threadClass].name == one.name)
        steps.stepNs[transition.from] +=
            transition.probability *
            (transition.local.mean + transition.blockedNs + insideNs[transition.to]);
    steps.shares = one.visits;
    for (std::size_t i = 0; i < steps.shares.size(); ++i)
      if (network.sections[i].inside)
        steps.shares[i] = 0;
    const double all = std::accumulate(one.visits.begin(), one.visits.end(), 0.0);
    const double outer = std::accumulate(steps.shares.begin(), steps.shares.end(), 0.0);
    for (double &share : steps.shares)
      share /= outer;
    steps.sectionsPerStep = all / outer;
  }
  return result;
}

std::vector<ThreadPlan> planThreads(const Network &network, int scalingThreads,
                                    std::optional<std::size_t> onlyPart) {
  const std::vector<Traffic> traffic = trafficOf(network);
  const std::vector<RoutingSteps> steps = routingSteps(network);
  const auto classOf = [&](const Traffic &one) {
    std::size_t found = 0;
    while (network.classes[found].name != one.name)
      ++found;
    return found;
  };
  std::vector<ThreadPlan> plan, scaling;
  std::vector<double> shares;
  const auto planOf = [&](const Traffic &one) {
    const auto part = static_cast<std::size_t>(&one - traffic.data());
    std::vector<double> times = steps[part].shares;
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i] *= steps[part].stepNs[i];
    return ThreadPlan{classOf(one), part, ChoiceSampler(times)};
  };
  for (std::size_t part = 0; part < traffic.size(); ++part)
    if (const Traffic &one = traffic[part]; one.scales && part == onlyPart.value_or(part)) {
      scaling.push_back(planOf(one));
      shares.push_back(one.share);
    }
  if (!scaling.empty())
    deal(plan, scaling, shares, scalingThreads);
  for (std::size_t threads = 0; threads < network.classes.size(); ++threads) {
    if (network.classes[threads].scales)
      continue;
    std::vector<ThreadPlan> fixed;
    shares.clear();
    for (const Traffic &one : traffic)
      if (!one.scales && classOf(one) == threads) {
        fixed.push_back(planOf(one));
        shares.push_back(one.share);
      }
    if (!fixed.empty())
      deal(plan, fixed, shares, static_cast<int>(network.classes[threads].threads));
  }
  return plan;
}

std::size_t threadsOfLocks(const Network &network, const std::vector<LockSetup> &locks) {
  std::size_t threads = 0;
  for (std::size_t i = 0; i < locks.size(); ++i)
    if (locks[i].kind->hasThread)
      threads += std::min(network.locks[i].instances, mostInstances);
  return threads;
}

Workload::Workload(const Network &network, const std::vector<LockSetup> &setups,
                   const std::vector<ThreadPlan> &plan, const MulticoreCosts &costs,
                   const WorkloadOptions &options)
    : network(network), machine(costs, options.seed), options(options), plan(plan),
      locks(network.locks.size()), sections(network.sections.size()), rows(network.classes.size()),
      means(quantityOf(network, network.classes.size(), ClassQuantity{})) {
  // Which threads share a core has nothing to do with what they do.
  if (network.classes.size() > 1 && plan.size() > static_cast<std::size_t>(costs.cores)) {
    Random random(options.seed);
    std::shuffle(this->plan.begin(), this->plan.end(), random);
  }
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const Lock &lock = network.locks[i];
    locks[i].setup = setups[i];
    locks[i].perThread = lock.perThread;
    locks[i].own = lock.own;
    if (lock.perThread)
      continue;
    std::vector<double> shares = lock.shares;
    const double rest = std::max(0.0, 1 - std::accumulate(shares.begin(), shares.end(), 0.0));
    locks[i].withShares = shares.size();
    locks[i].others = std::min(lock.instances, mostInstances) -
                      std::min<std::size_t>(shares.size(), mostInstances);
    if (locks[i].others > 0)
      shares.push_back(rest);
    locks[i].choice = ChoiceSampler(shares);
    // All others are alike: if one of them is the busiest, any of them stands for it.
    if (locks[i].others > 0)
      shares.back() /= static_cast<double>(locks[i].others);
    locks[i].busiest =
        static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].hold = TimeSampler(network.sections[i].hold);
    if (const auto outer = network.sections[i].inside)
      sections[*outer].nested.push_back({i, network.sections[i].visits});
  }
  std::vector<std::vector<std::vector<double>>> probabilities(
      rows.size(), std::vector<std::vector<double>>(sections.size()));
  for (auto &row : rows)
    row.resize(sections.size());
  for (std::size_t i = 0; i < network.transitions.size(); ++i) {
    const Transition &transition = network.transitions[i];
    rows[transition.threadClass][transition.from].transitions.push_back(i);
    probabilities[transition.threadClass][transition.from].push_back(transition.probability);
    local.emplace_back(transition.local);
    blocked.emplace_back(Duration{transition.blockedNs, 1});
  }
  for (std::size_t threads = 0; threads < rows.size(); ++threads)
    for (std::size_t from = 0; from < sections.size(); ++from)
      rows[threads][from].choice = ChoiceSampler(probabilities[threads][from]);
}

bool Workload::run(const std::function<bool(bool)> &isEnough) {
  enough = isEnough;
  placing.seed(options.seed);
  startSpread = static_cast<Time>(plan.size()) * startInterval;
  for (const ThreadPlan &one : plan)
    taken.resize(std::max(taken.size(), one.part + 1), std::vector<Steps>(network.sections.size()));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    std::seed_seq seeds{static_cast<std::uint32_t>(options.seed),
                        static_cast<std::uint32_t>(options.seed >> 32),
                        static_cast<std::uint32_t>(i)};
    states.push_back(std::make_unique<ThreadState>());
    states.back()->random.seed(seeds);
    states.back()->number = i;
    machine.addThread([this, i] {
      runThread(plan[i], *states[i]);
      leave();
    });
  }
  working = plan.size();
  addThreadsOfLocks();
  return machine.run();
}

void Workload::addThreadsOfLocks() {
  for (std::size_t lock = 0; lock < locks.size(); ++lock) {
    if (!locks[lock].setup.kind->hasThread)
      continue;
    const std::size_t instances = std::min(network.locks[lock].instances, mostInstances);
    for (std::size_t index = 0; index < instances; ++index)
      machine.addThread([&served = *instanceOf(lock, index).lock] { served.serve(); });
  }
}

/// A thread has come to its end. The last one sends those of the locks home.
void Workload::leave() {
  if (--working > 0)
    return;
  for (LockState &lock : locks)
    if (lock.setup.kind->hasThread)
      for (auto &[index, instance] : lock.instances)
        instance.lock->dismiss();
}

void Workload::runThread(const ThreadPlan &mine, ThreadState &thread) {
  // Multiples of the golden ratio spread evenly, however many there are.
  constexpr double golden = 0.6180339887498949;
  const auto number = static_cast<double>(thread.number) +
                      static_cast<double>(options.run) * static_cast<double>(plan.size());
  std::size_t section =
      options.runs > 1
          ? mine.firstSection.at(std::fmod((number + uniform(thread.random)) * golden, 1.0))
          : mine.firstSection.draw(thread.random);
  // Threads begin one after the other, in an order that chance decides.
  machine.compute(static_cast<Time>(uniform(thread.random) * static_cast<double>(startSpread)));
  Time begin = machine.clock();
  while (!stopped) {
    const Row &row = rows[mine.threadClass][section];
    const std::size_t transition = row.transitions[row.choice.draw(thread.random)];
    machine.compute(local[transition].draw(thread.random));
    if (blocked[transition].meanNs() > 0)
      machine.block(blocked[transition].draw(thread.random));
    if (stopped)
      return;
    Steps &step = taken[mine.part][section];
    section = network.transitions[transition].to;
    visit(section, thread);
    const Time end = machine.clock();
    ++step.count;
    step.ns += nanoseconds(end - begin);
    count(thread, cycles, 1);
    count(thread, cycleTime, nanoseconds(end - begin));
    begin = end;
  }
}

/// Executes a section and the sections inside it once. Returns how long that took.
Time Workload::visit(std::size_t section, ThreadState &thread) {
  const std::size_t lock = network.sections[section].lock;
  const std::size_t index = chooseInstance(lock, thread);
  // A thread that holds the lock already enters at once.
  for (const Held &held : thread.held)
    if (held.lock == lock && held.instance == index)
      return execute(section, thread);

  machine.reach();
  const Time begin = machine.clock();
  const bool isNew = locks[lock].others > 1 && !locks[lock].instances.contains(index);
  Instance &instance = instanceOf(lock, index);
  // What is simulated began long ago: any thread may have had the lock before.
  if (isNew)
    machine.placeNewLines(
        uniform(placing) < locks[lock].own
            ? thread.number
            : static_cast<std::size_t>(uniform(placing) * static_cast<double>(plan.size())));
  const bool contended = instance.lock->isTaken();
  if (thread.held.empty()) {
    thread.arrived = true;
    thread.since = begin;
  }
  thread.held.push_back({lock, index});
  const unsigned self = machine.threadIndex();
  Time held = 0;
  auto operation = [&] {
    // A helper that executes the operation has paid for taking the lock already.
    const Time extra = machine.threadIndex() == self ? locks[lock].setup.extra : 0;
    machine.compute(extra / 2);
    enter(instance);
    touchData(instance);
    held = execute(section, thread);
    leave(lock, index, instance);
    machine.compute(extra - extra / 2);
  };
  if (network.sections[section].shared)
    instance.lock->shared(operation);
  else
    instance.lock->exclusive(operation);
  if (isNew)
    machine.placeNewLinesNowhere();
  thread.held.pop_back();
  thread.arrived = thread.arrived && !thread.held.empty();
  const Time end = machine.clock();
  means.add(quantityOf(lock, acquisitions), 1);
  means.add(quantityOf(lock, residence), nanoseconds(end - begin));
  means.add(quantityOf(lock, hold), nanoseconds(held));
  means.add(quantityOf(lock, found), contended ? 1 : 0);
  count(thread, classSections, 1);
  count(thread, waiting, nanoseconds(end - begin - held));
  complete(end);
  return end - begin;
}

/// Spends the section's own time, over which the sections inside are spread.
Time Workload::execute(std::size_t section, ThreadState &thread) {
  const SectionState &state = sections[section];
  const Time own = state.hold.draw(thread.random);
  if (state.nested.empty()) {
    machine.compute(own);
    return own;
  }
  std::vector<std::size_t> inner;
  for (const Nested &nested : state.nested) {
    // The fractional part is the probability of one more visit.
    double visits = std::floor(nested.visits);
    visits += uniform(thread.random) < nested.visits - visits ? 1 : 0;
    inner.insert(inner.end(), static_cast<std::size_t>(visits), nested.section);
  }
  const auto parts = static_cast<Time>(inner.size() + 1);
  Time total = own;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    machine.compute(own / parts);
    total += visit(inner[i], thread);
  }
  machine.compute(own - own / parts * (parts - 1));
  return total;
}

/// Draws an instance. If the thread holds an instance of the class already, it is that one or a
/// later one: threads that took them in any order would wait for each other for ever.
std::size_t Workload::chooseInstance(std::size_t lock, ThreadState &thread) {
  const LockState &state = locks[lock];
  if (state.perThread)
    return thread.number;
  // Threads divide all alike among themselves.
  const std::size_t parts = plan.size(), part = state.others / parts;
  const auto draw = [&] {
    const std::size_t choice = state.choice.draw(thread.random);
    if (choice < state.withShares || state.others <= 1)
      return choice;
    if (state.own > 0 && part > 0 && uniform(thread.random) < state.own)
      return choice + thread.number * part +
             static_cast<std::size_t>(uniform(thread.random) * static_cast<double>(part));
    return choice +
           static_cast<std::size_t>(uniform(thread.random) * static_cast<double>(state.others));
  };
  std::size_t least = 0;
  bool any = false;
  for (const Held &held : thread.held)
    if (held.lock == lock) {
      least = any ? std::max(least, held.instance) : held.instance;
      any = true;
    }
  for (int tries = 0; tries < 64; ++tries)
    if (const std::size_t index = draw(); !any || index >= least)
      return index;
  return least;
}

Workload::Instance &Workload::instanceOf(std::size_t lock, std::size_t index) {
  const auto [found, isNew] = locks[lock].instances.try_emplace(index);
  Instance &instance = found->second;
  if (isNew) {
    instance.lock = locks[lock].setup.kind->make(machine);
    if (options.dataLines > 0)
      instance.data =
          std::make_unique<std::byte[]>(static_cast<std::size_t>(options.dataLines + 1) * 64);
  }
  return instance;
}

void Workload::enter(Instance &instance) {
  machine.reach();
  if (instance.inside++ == 0)
    instance.busySince = machine.clock();
}

void Workload::leave(std::size_t lock, std::size_t index, Instance &instance) {
  machine.reach();
  if (--instance.inside == 0 && index == locks[lock].busiest)
    means.add(quantityOf(lock, busy), nanoseconds(machine.clock() - instance.busySince));
}

std::size_t Workload::findStarving() const {
  return static_cast<std::size_t>(
      std::count_if(states.begin(), states.end(), [this](const auto &thread) {
        return thread->arrived && latest > thread->since && latest - thread->since > latest / 2;
      }));
}

void Workload::touchData(Instance &instance) {
  if (options.dataLines == 0)
    return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(instance.data.get()) + 63) / 64 * 64;
  machine.plainAccess(reinterpret_cast<const void *>(begin),
                      static_cast<std::size_t>(options.dataLines) * 64, true);
}

void Workload::count(const ThreadState &thread, ClassQuantity quantity, double amount) {
  means.add(quantityOf(network, plan[thread.number].threadClass, quantity), amount);
}

void Workload::complete(Time at) {
  if (stopped)
    return;
  if (at > latest) {
    means.add(elapsed, nanoseconds(at - latest));
    latest = at;
  }
  means.add(completed, 1);
  const BatchMeans::Progress progress = means.complete();
  if (progress == BatchMeans::Progress::inBatch)
    return;
  const bool full = progress == BatchMeans::Progress::full;
  if (enough(full)) {
    stopped = true;
    starvingAtEnd = findStarving();
  } else if (full) {
    means.merge();
  }
}

} // namespace qdadvise::sim
