// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/completion/CompletionScripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>

namespace qdadvise {
namespace {

struct CompletedOption {
  std::vector<std::string> shortNames, longNames; ///< without dashes
  std::string description;
  std::vector<std::string> values; ///< that it takes, where they are a few names
  std::string valueName;           ///< `FILE`, `N`; "" where it takes none
};

struct CompletedCommand {
  std::string name, description;
  std::vector<CompletedOption> options;
};

/// The names in `NAME:{text,json}`, which is how the parser shows a choice; or in `text|json`.
std::vector<std::string> valuesOf(const std::string &type) {
  static const std::regex braces(R"(\{([^}]*)\})"), bars("[a-z_]+([|][a-z_]+)+");
  std::smatch found;
  std::string list;
  if (std::regex_search(type, found, braces))
    list = found[1];
  else if (std::regex_match(type, bars))
    list = type;
  static const std::regex name("[^,|]+");
  return {std::sregex_token_iterator(list.begin(), list.end(), name), {}};
}

std::vector<CompletedOption> optionsOf(const CLI::App &app) {
  std::vector<CompletedOption> result;
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_positional())
      continue;
    CompletedOption one{
        option->get_snames(), option->get_lnames(), option->get_description(), {}, ""};
    if (option->get_items_expected_max() > 0) {
      const std::string type = option->get_type_name();
      one.values = valuesOf(type);
      one.valueName = type.substr(0, type.find(':'));
      if (one.valueName.empty())
        one.valueName = "VALUE";
    }
    result.push_back(std::move(one));
  }
  return result;
}

std::vector<CompletedCommand> commandsOf(const CLI::App &app) {
  std::vector<CompletedCommand> result;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    result.push_back({command->get_name(), command->get_description(), optionsOf(*command)});
  return result;
}

/// All spellings, with dashes.
std::vector<std::string> spellings(const CompletedOption &option) {
  std::vector<std::string> result;
  for (const std::string &name : option.shortNames)
    result.push_back("-" + name);
  for (const std::string &name : option.longNames)
    result.push_back("--" + name);
  return result;
}

std::vector<std::string> spellings(const std::vector<CompletedOption> &options) {
  std::vector<std::string> result;
  for (const CompletedOption &option : options)
    for (const std::string &name : spellings(option))
      result.push_back(name);
  return result;
}

std::string bashScript(const CLI::App &app) {
  std::string names, values, options;
  for (const CompletedCommand &command : commandsOf(app)) {
    names += command.name + " ";
    options += fmt::format("  {}) words='{}' ;;\n", command.name,
                           fmt::join(spellings(command.options), " "));
    for (const CompletedOption &option : command.options)
      for (const std::string &name : spellings(option))
        if (!option.values.empty())
          values += fmt::format("  '{} {}') words='{}' ;;\n", command.name, name,
                                fmt::join(option.values, " "));
  }
  // Where there are no words, bash completes names of files.
  return fmt::format("_qdadvise() {{\n"
                     "  local current=${{COMP_WORDS[COMP_CWORD]}} words=''\n"
                     "  COMPREPLY=()\n"
                     "  if ((COMP_CWORD == 1)); then\n"
                     "    COMPREPLY=($(compgen -W '{}{}' -- \"$current\"))\n"
                     "    return\n"
                     "  fi\n"
                     "  case \"${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD - 1]}}\" in\n{}  esac\n"
                     "  [[ -z $words && $current == -* ]] && case ${{COMP_WORDS[1]}} in\n{}  esac\n"
                     "  [[ -n $words ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                     "  return 0\n"
                     "}}\n"
                     "complete -o default -F _qdadvise qdadvise\n",
                     names, fmt::join(spellings(optionsOf(app)), " "), values, options);
}

/// Text between single quotes, with a backslash before some characters.
std::string quoted(const std::string &text, const std::string &escaped) {
  std::string result = "'";
  for (const char letter : text)
    if (letter == '\'')
      result += R"('\'')";
    else
      result += (escaped.find(letter) == std::string::npos ? "" : "\\") + std::string(1, letter);
  return result + "'";
}

std::string zshScript(const CLI::App &app) {
  std::string names, options;
  for (const CompletedCommand &command : commandsOf(app)) {
    names += "    " + quoted(command.name + ":" + command.description, "") + "\n";
    options += fmt::format("  {})\n    _arguments", command.name);
    for (const CompletedOption &option : command.options)
      for (const std::string &name : spellings(option)) {
        std::string spec = name;
        // A description ends at a bracket, and zsh shows one line of it.
        spec += "[" + std::regex_replace(option.description, std::regex("[\\[\\]]"), "") + "]";
        if (!option.valueName.empty())
          spec += ":" + option.valueName + ":" +
                  (option.values.empty() ? "_files"
                                         : fmt::format("({})", fmt::join(option.values, " ")));
        options += " \\\n      " + quoted(spec, "");
      }
    options += " \\\n      '*:file:_files'\n    ;;\n";
  }
  return fmt::format("#compdef qdadvise\n"
                     "_qdadvise() {{\n"
                     "  local -a commands=(\n{}  )\n"
                     "  if ((CURRENT == 2)); then\n"
                     "    _describe command commands\n"
                     "    return\n"
                     "  fi\n"
                     "  local command=$words[2]\n"
                     "  shift words\n"
                     "  ((CURRENT--))\n"
                     "  case $command in\n{}  esac\n"
                     "}}\n"
                     "if [[ $funcstack[1] == _qdadvise ]]; then\n"
                     "  _qdadvise \"$@\"\n"
                     "else\n"
                     "  compdef _qdadvise qdadvise\n"
                     "fi\n",
                     names, options);
}

std::string fishScript(const CLI::App &app) {
  std::string script;
  for (const CompletedCommand &command : commandsOf(app)) {
    script += fmt::format("complete -c qdadvise -n __fish_use_subcommand -a {} -d {}\n",
                          command.name, quoted(command.description, "\\"));
    for (const CompletedOption &option : command.options) {
      script +=
          fmt::format("complete -c qdadvise -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string &name : option.shortNames)
        script += " -s " + name;
      for (const std::string &name : option.longNames)
        script += " -l " + name;
      if (!option.values.empty())
        script += fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
      else if (!option.valueName.empty())
        script += " -r";
      script += " -d " + quoted(option.description, "\\") + "\n";
    }
  }
  return script;
}

} // namespace

const std::vector<ShellCompletion> &shellCompletions() {
  static const std::vector<ShellCompletion> all = {
      {"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}};
  return all;
}

} // namespace qdadvise
