// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/LockApis.h"
#include "advisor/advice/LockApiReader.h"

#include <algorithm>
#include <map>
#include <set>

namespace qdadvise {
namespace {

/// A key of an entry that lists functions.
struct RoleKey {
  std::string_view key;
  ApiRole role;
  bool isShared, isTry, isTimed;
};
constexpr RoleKey roleKeys[] = {
    {"acquire", ApiRole::acquire, false, false, false},
    {"acquire_shared", ApiRole::acquire, true, false, false},
    {"try_acquire", ApiRole::acquire, false, true, false},
    {"try_acquire_shared", ApiRole::acquire, true, true, false},
    {"timed_acquire", ApiRole::acquire, false, false, true},
    {"timed_acquire_shared", ApiRole::acquire, true, false, true},
    {"release", ApiRole::release, false, false, false},
    {"release_shared", ApiRole::release, true, false, false},
    {"wait", ApiRole::wait, false, false, false},
    {"timed_wait", ApiRole::wait, false, false, true},
    {"block", ApiRole::block, false, false, false},
    {"lifetime", ApiRole::lifetime, false, false, false},
    {"wrapper", ApiRole::wrapper, false, false, false},
};

const RoleKey *roleOf(std::string_view key) {
  const auto *row = std::find_if(std::begin(roleKeys), std::end(roleKeys),
                                 [&](const RoleKey &r) { return r.key == key; });
  return row == std::end(roleKeys) ? nullptr : row;
}

constexpr std::pair<std::string_view, ApiSuccess> successes[] = {
    {"zero", ApiSuccess::zero}, {"nonzero", ApiSuccess::nonzero}, {"always", ApiSuccess::always}};

/// A value of `kind`: a lock API of the C library or a lock of ours, those with a line last.
struct KindName {
  std::string_view name;
  LockKind kind;
};
std::vector<KindName> kindNames() {
  constexpr KindName all[] = {
#define LIBRARY_LOCK(kind, number, name, ...) {name, LockKind::kind},
#define LOCK_API(kind, number, name, ...) {name, LockKind::kind},
#include "runtime/abi/LockAlgorithms.def"
#define SHIPPED_LOCK(kind, number, name, ...) {name, LockKind::kind},
#include "runtime/abi/LockAlgorithms.def"
  };
  std::vector<KindName> names;
  for (const bool fifo : {false, true})
    for (const KindName &each : all)
      if (const LockAlgorithm *row = findLockAlgorithm(each.kind); (row && row->fifo) == fifo)
        names.push_back(each);
  return names;
}

constexpr std::int64_t mostArguments = 255;

std::string inQuotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// `a, b or c`.
template <typename Names> std::string choiceOf(const Names &names) {
  std::string text;
  for (auto name = std::begin(names); name != std::end(names); ++name) {
    if (name != std::begin(names))
      text += std::next(name) == std::end(names) ? " or " : ", ";
    text += *name;
  }
  return text;
}

std::string roleNames() {
  std::vector<std::string> names;
  for (const RoleKey &row : roleKeys)
    names.emplace_back(row.key);
  return choiceOf(names);
}

/// Reads the entries, and remembers what each name does: a name has one role.
class EntryReader {
public:
  explicit EntryReader(TomlReader &toml) : reader(toml) {}

  LockApiEntry entry(const toml::table &table);

private:
  void checkKeys(const toml::table &table, std::initializer_list<std::string_view> known,
                 bool roles, std::string_view where);
  bool isName(const toml::node &node, std::string_view key, bool isQualified);
  std::vector<std::string> names(const toml::table &table, std::string_view key);
  std::optional<unsigned> argument(const toml::table &table);
  void functions(const toml::table &table, bool areMembers, const std::vector<std::string> &owners,
                 std::vector<ApiFunction> &to);
  std::optional<ApiFunction> function(const toml::node &node, const RoleKey &role, bool isMember);
  void guards(const toml::table &table, LockApiEntry &to);
  void guard(const toml::node &node, LockApiEntry &to);
  void claim(const toml::node &at, const std::string &name, std::string_view does);

  TomlReader &reader;
  std::map<std::string, std::string> claims; ///< what a name does
};

void EntryReader::checkKeys(const toml::table &table, std::initializer_list<std::string_view> known,
                            bool roles, std::string_view where) {
  for (const auto &[key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end() ||
        (roles && roleOf(key.str())))
      continue;
    std::vector<std::string> allowed(known.begin(), known.end());
    std::string text = "unknown key " + inQuotes(key.str()) + " in " + std::string(where);
    if (roles) {
      text += "; what functions do is said by " + roleNames() + "; other keys are ";
    } else {
      text += "; allowed are ";
    }
    reader.failAtKey(key, text + choiceOf(allowed));
  }
}

/// A name as C++ writes it, without arguments of templates.
bool EntryReader::isName(const toml::node &node, std::string_view key, bool isQualified) {
  const auto *text = node.as_string();
  if (!text) {
    reader.fail(node, inQuotes(key) + " must be a string or an array of strings");
    return false;
  }
  std::string_view rest = text->get();
  if (isQualified && rest.substr(0, 2) == "::")
    rest.remove_prefix(2);
  bool good = !rest.empty(), atStart = true;
  for (std::size_t i = 0; good && i < rest.size(); ++i) {
    const char c = rest[i];
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                          c == '$' || static_cast<unsigned char>(c) >= 0x80;
    const bool isDigit = c >= '0' && c <= '9';
    if (isQualified && !atStart && rest.substr(i, 2) == "::" && i + 2 < rest.size()) {
      ++i;
      atStart = true;
      continue;
    }
    good = isLetter || (isDigit && !atStart);
    atStart = false;
  }
  if (!good)
    reader.fail(node,
                inQuotes(text->get()) + " is no name of a " +
                    (isQualified ? "type or function, as 'lock' or 'my::Mutex'; arguments of "
                                   "templates are left out"
                                 : "member, as 'Lock'; members are named without their type"));
  return good;
}

std::vector<std::string> EntryReader::names(const toml::table &table, std::string_view key) {
  std::vector<std::string> result;
  const auto add = [&](const toml::node &node) {
    if (isName(node, key, true))
      result.push_back(node.as_string()->get());
  };
  const toml::node *node = table.get(key);
  if (!node)
    return result;
  if (const toml::array *array = node->as_array())
    for (const toml::node &element : *array)
      add(element);
  else
    add(*node);
  if (result.empty())
    reader.fail(*node, inQuotes(key) + " names nothing");
  return result;
}

std::optional<unsigned> EntryReader::argument(const toml::table &table) {
  const toml::node *node = table.get("argument");
  if (!node)
    return std::nullopt;
  if (const auto *number = node->as_integer();
      number && number->get() >= 0 && number->get() <= mostArguments)
    return static_cast<unsigned>(number->get());
  reader.fail(*node, "'argument' must be the index of the argument that is the lock, from 0; left "
                     "out, it is the object of a member function, else the first argument");
  return std::nullopt;
}

void EntryReader::claim(const toml::node &at, const std::string &name, std::string_view does) {
  const auto [known, isNew] = claims.try_emplace(name, does);
  if (!isNew)
    reader.fail(at, inQuotes(name) + " has a role already, " + inQuotes(known->second) +
                        "; a name has one role");
}

std::optional<ApiFunction> EntryReader::function(const toml::node &node, const RoleKey &role,
                                                 bool isMember) {
  ApiFunction result;
  result.role = role.role;
  result.isShared = role.isShared;
  result.isTry = role.isTry;
  result.isTimed = role.isTimed;
  if (role.role == ApiRole::acquire && (role.isTry || role.isTimed))
    result.success = ApiSuccess::nonzero;
  if (node.is_string()) {
    if (!isName(node, role.key, !isMember))
      return std::nullopt;
    result.name = node.as_string()->get();
    return result;
  }
  const std::string_view nameKey = isMember ? "member" : "function";
  const toml::table *table = node.as_table();
  if (!table) {
    reader.fail(node, inQuotes(role.key) + " must list names or tables { " + std::string(nameKey) +
                          " = \"name\", argument = 0, success = \"nonzero\" }");
    return std::nullopt;
  }
  checkKeys(*table, {nameKey, "argument", "success"}, false, inQuotes(role.key));
  const toml::node *name = table->get(nameKey);
  if (!name) {
    reader.fail(*table, "the required key " + inQuotes(nameKey) + " is missing");
    return std::nullopt;
  }
  if (!isName(*name, nameKey, !isMember))
    return std::nullopt;
  result.name = name->as_string()->get();
  result.argument = argument(*table);
  if (const std::optional<std::string> success = reader.text(*table, "success")) {
    const auto *known = std::find_if(std::begin(successes), std::end(successes),
                                     [&](const auto &s) { return s.first == *success; });
    if (known == std::end(successes))
      reader.fail(*table->get("success"), "'success' must be zero, nonzero or always");
    else if (role.role != ApiRole::acquire)
      reader.fail(*table->get("success"), "'success' is of functions that acquire");
    else
      result.success = known->second;
  }
  return result;
}

void EntryReader::functions(const toml::table &table, bool areMembers,
                            const std::vector<std::string> &owners, std::vector<ApiFunction> &to) {
  for (const RoleKey &role : roleKeys) {
    const toml::node *node = table.get(role.key);
    if (!node)
      continue;
    const auto add = [&](const toml::node &element) {
      std::optional<ApiFunction> found = function(element, role, areMembers);
      if (!found)
        return;
      if (areMembers)
        for (const std::string &owner : owners)
          claim(element, owner + "::" + found->name, role.key);
      else
        claim(element, found->name, role.key);
      to.push_back(std::move(*found));
    };
    if (const toml::array *array = node->as_array())
      for (const toml::node &element : *array)
        add(element);
    else
      add(*node);
  }
}

void EntryReader::guard(const toml::node &node, LockApiEntry &to) {
  ApiGuard result;
  if (const toml::table *table = node.as_table()) {
    checkKeys(*table, {"type", "shared", "argument"}, true, "'guards'");
    reader.require(*table, "type");
    result.types = names(*table, "type");
    result.isShared = reader.boolean(*table, "shared").value_or(false);
    result.argument = argument(*table);
    functions(*table, true, result.types, result.members);
  } else if (isName(node, "guards", true)) {
    result.types = {node.as_string()->get()};
  }
  for (const std::string &type : result.types)
    claim(node, type, "guards");
  to.guards.push_back(std::move(result));
}

void EntryReader::guards(const toml::table &table, LockApiEntry &to) {
  const toml::node *node = table.get("guards");
  if (!node)
    return;
  if (const toml::array *array = node->as_array())
    for (const toml::node &element : *array)
      guard(element, to);
  else
    guard(*node, to);
}

LockApiEntry EntryReader::entry(const toml::table &table) {
  LockApiEntry result;
  checkKeys(table, {"name", "kind", "type", "guards", "ignore"}, true, "[[lock_api]]");
  result.name = reader.text(table, "name").value_or("");
  if (const std::optional<std::string> kind = reader.text(table, "kind")) {
    std::vector<std::string_view> known;
    for (const KindName &each : kindNames()) {
      known.push_back(each.name);
      if (each.name == *kind)
        result.kind = each.kind;
    }
    if (result.kind == LockKind::unknown)
      reader.fail(*table.get("kind"), "unknown kind " + inQuotes(*kind) + "; allowed are " +
                                          choiceOf(known) + ", or none where it is another");
  }
  result.types = names(table, "type");
  result.ignored = names(table, "ignore");
  for (const std::string &name : result.types)
    claim(*table.get("type"), name, "type");
  for (const std::string &name : result.ignored)
    claim(*table.get("ignore"), name, "ignore");
  functions(table, !result.types.empty(), result.types, result.functions);
  guards(table, result);
  if (!result.types.empty() && result.functions.empty() && result.guards.empty())
    reader.fail(table, "[[lock_api]] names a type and nothing that its members do; what they do is "
                       "said by " +
                           roleNames());
  else if (result.functions.empty() && result.guards.empty() && result.ignored.empty())
    reader.fail(table,
                "[[lock_api]] names no function; what functions do is said by " + roleNames());
  return result;
}

bool has(const LockApiEntry &entry, ApiRole role) {
  return std::any_of(entry.functions.begin(), entry.functions.end(),
                     [&](const ApiFunction &function) { return function.role == role; });
}

/// Nobody sees the end of a section whose lock is taken and not given back. Members may be given
/// back by guards, functions also by those of another entry.
void checkReleases(TomlReader &reader, const toml::array &array,
                   const std::vector<LockApiEntry> &entries) {
  const bool anyFunctionReleases =
      std::any_of(entries.begin(), entries.end(), [](const LockApiEntry &entry) {
        return entry.types.empty() && has(entry, ApiRole::release);
      });
  for (std::size_t i = 0; i < entries.size() && reader.ok(); ++i) {
    const LockApiEntry &entry = entries[i];
    const bool releases = has(entry, ApiRole::release) || !entry.guards.empty() ||
                          (entry.types.empty() && anyFunctionReleases);
    if (has(entry, ApiRole::acquire) && !releases)
      reader.fail(array[i], "[[lock_api]] says what acquires and not what releases; add release = "
                            "\"…\"");
  }
}

} // namespace

std::vector<LockApiEntry> readLockApis(TomlReader &reader, const toml::table &root) {
  std::vector<LockApiEntry> entries;
  const toml::node *node = root.get("lock_api");
  if (!node)
    return entries;
  const toml::array *array = node->as_array();
  if (!array) {
    reader.fail(*node, "'lock_api' must be tables: write [[lock_api]]");
    return entries;
  }
  EntryReader entryReader(reader);
  for (const toml::node &element : *array) {
    if (const toml::table *table = element.as_table())
      entries.push_back(entryReader.entry(*table));
    else
      reader.fail(element, "'lock_api' must be tables: write [[lock_api]]");
  }
  if (reader.ok())
    checkReleases(reader, *array, entries);
  return entries;
}

Expected<std::vector<LockApiEntry>> parseLockApis(const std::string &toml,
                                                  const std::string &path) {
  TomlReader reader(path);
  const toml::table root = reader.parse(toml);
  std::vector<LockApiEntry> entries = readLockApis(reader, root);
  if (!reader.ok())
    return makeError(reader.error());
  return entries;
}

} // namespace qdadvise
