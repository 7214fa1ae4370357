#include "faces/cli/options/verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/try.h"

namespace embd::cli {
namespace {

/// Splits "-o,--output" into its names.
void set_names(Option& option, const std::string& names) {
  const std::size_t comma = names.find(',');
  if (comma != std::string::npos) {
    option.short_name = names.substr(0, comma);
    option.name = names.substr(comma + 1);
  } else {
    const bool is_short = names.starts_with('-') && !names.starts_with("--");
    (is_short ? option.short_name : option.name) = names;
  }
}

const Option* find_in(const std::deque<Option>& options, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(options, [&](const Option& option) {
    return option.name == name || option.short_name == name;
  });
  return found != options.end() ? &*found : nullptr;
}

}  // namespace

std::string Option::bare_name() const {
  const std::string& text = display_name();
  return text.substr(std::min(text.find_first_not_of('-'), text.size()));
}

Verb::Verb(std::string name, std::string description, Run run, const Verb* parent)
    : name_(std::move(name)),
      description_(std::move(description)),
      run_(std::move(run)),
      parent_(parent) {
  add("-h,--help", "Print this help message and exit", nullptr).in(OptionGroup::running).is_flag =
      true;
}

Verb& Verb::add_verb(std::string name, std::string description, Run run) {
  return verbs_.emplace_back(std::move(name), std::move(description), std::move(run), this);
}

Option& Verb::add(const std::string& names, std::string description, Option::Store store) {
  Option& option = (names.starts_with('-') ? options_ : positionals_).emplace_back();
  set_names(option, names);
  option.description = std::move(description);
  option.store = std::move(store);
  return option;
}

Option& Verb::add_parsed(const std::string& names,
                         std::function<Result<void>(const std::string& text)> parse,
                         std::string description) {
  return add(names, std::move(description),
             [parse = std::move(parse)](const std::vector<std::string>& texts) -> Result<void> {
               for (const std::string& text : texts) EMBD_TRY(parse(text));
               return {};
             });
}

Option& Verb::add_switch(const std::string& names, std::string description,
                         std::function<void(bool)> set) {
  Option& flag = add(names, std::move(description),
                     [set = std::move(set)](const std::vector<std::string>& texts) {
                       set(texts.front() == "true");
                       return Result<void>();
                     });
  flag.is_flag = true;
  return flag;
}

void Verb::add_version_flag() {
  add("--version", "Display program version information and exit", nullptr).is_flag = true;
}

std::string Verb::words() const {
  if (parent_ == nullptr) return {};
  const std::string before = parent_->words();
  return before.empty() ? name_ : before + " " + name_;
}

std::string Verb::command() const {
  return parent_ == nullptr ? name_ : parent_->command() + " " + name_;
}

std::vector<std::string> Verb::verb_names() const {
  std::vector<std::string> names;
  for (const Verb& verb : verbs_) names.push_back(verb.name());
  return names;
}

const Option* Verb::find(std::string_view name) const noexcept {
  const Option* option = find_in(options_, name);
  return option != nullptr ? option : find_in(positionals_, name);
}

Option& Verb::option(std::string_view name) {
  return const_cast<Option&>(*std::as_const(*this).find(name));
}

std::string Verb::value_of(std::string_view name) const {
  return has_value(name) ? find(name)->given.front() : "";
}

bool Verb::has_value(std::string_view name) const noexcept {
  const Option* option = find(name);
  return option != nullptr && !option->given.empty();
}

bool Verb::is_given(std::string_view name) const noexcept {
  const Option* option = find(name);
  return option != nullptr && option->is_on_command_line;
}

std::vector<const Verb*> all_verbs(const Verb& verb) {
  std::vector<const Verb*> all = {&verb};
  for (const Verb& below : verb.verbs()) {
    const auto more = all_verbs(below);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

namespace {

std::string_view heading_of(OptionGroup group) {
  switch (group) {
    using enum OptionGroup;
    case general:
      return "Options";
    case input:
      return "Texts";
    case model:
      return "Model and vectors";
    case output:
      return "Output";
    case cvc:
      return "CVC";
    case parquet:
      return "Parquet";
    case svs:
      return "SVS";
    case quantizers:
      return "finalfusion and SVS";
    case index:
      return "Index";
    case reading:
      return "Reading vectors";
    case search:
      return "Search";
    case analysis:
      return "Analysis";
    case serving:
      return "Serving";
    case access:
      return "Who may use it";
    case limits:
      return "Limits";
    case running:
      return "Running";
  }
  return "";
}

constexpr std::size_t name_width = 30;
constexpr std::size_t line_width = 100;

/// Returns a text divided into lines between words. All lines but the first are indented to the
/// column of descriptions.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t column = name_width;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column > name_width && column + 1 + (end - begin) > line_width) {
      out += "\n" + std::string(name_width, ' ');
      column = name_width;
    } else if (column > name_width) {
      out += ' ';
      ++column;
    }
    out += text.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return out;
}

std::string entry(std::string name, const std::string& description) {
  name.insert(0, "  ");
  if (name.size() + 1 > name_width)
    return name + "\n" + std::string(name_width, ' ') + wrapped(description) + "\n";
  return fmt::format("{:<{}}{}\n", name, name_width, wrapped(description));
}

std::string entry(const Option& option) {
  std::string name = option.short_name;
  if (!option.name.empty()) name += (name.empty() ? "" : ", ") + option.name;
  if (!option.value.empty()) name += " " + option.value;
  return entry(name, option.description + (option.is_required ? " (required)" : ""));
}

/// Returns the names of the options of a verb that most users need, which the help lists first.
const std::vector<std::string_view>& first_options(std::string_view verb) {
  static const std::map<std::string_view, std::vector<std::string_view>> first = {
      {"embed", {"output", "model", "id-field", "threads", "resume"}},
      {"search", {"query", "queries", "texts", "model", "json"}},
      {"convert", {"from", "to", "rows", "output-type", "force"}},
      {"verify", {"model", "sample", "tolerance", "threads", "force"}},
      {"index", {"output", "metric", "scalar", "threads", "certify"}},
      {"serve", {"model", "host", "port", "threads", "index"}},
  };
  static const std::vector<std::string_view> none;
  const auto found = first.find(verb);
  return found != first.end() ? found->second : none;
}

/// Returns the options of a verb in groups, in the order in which the groups first occur.
std::string grouped_options(const Verb& verb) {
  const auto& first = first_options(verb.words());
  std::vector<std::pair<std::string, std::string>> groups;
  if (!first.empty()) groups.emplace_back("Most used", "");
  const auto text_of = [&](std::string_view group) -> std::string& {
    for (auto& [name, text] : groups)
      if (name == group) return text;
    return groups.emplace_back(group, "").second;
  };
  for (const std::string_view name : first) {
    for (const Option& option : verb.options())
      if (option.bare_name() == name) text_of("Most used") += entry(option);
  }
  for (const Option& option : verb.options()) {
    const std::string name = option.bare_name();
    if (std::ranges::find(first, name) != first.end()) continue;
    text_of(heading_of(option.group)) += entry(option);
  }
  std::string out;
  for (const auto& [name, text] : groups) out += fmt::format("\n{}:\n{}", name, text);
  return out;
}

}  // namespace

std::string usage_of(const Verb& verb) {
  std::string line = verb.command();
  for (const Option& positional : verb.positionals())
    line += positional.is_required ? " " + positional.name : " [" + positional.name + "]";
  for (const Option& option : verb.options()) {
    if (option.is_required) {
      line +=
          " " + (option.short_name.empty() ? option.name : option.short_name) + " " + option.value;
    }
  }
  if (!verb.verbs().empty()) line += " VERB";
  return line + " [OPTION ...]";
}

std::string help_of(const Verb& verb) {
  std::string help = fmt::format("{}\n\nUsage: {}\n", verb.description(), usage_of(verb));
  if (!verb.positionals().empty()) help += "\n";
  for (const Option& positional : verb.positionals())
    help += entry(positional.name, positional.description);
  help += grouped_options(verb);
  if (!verb.verbs().empty()) {
    help += "\nVerbs:\n";
    for (const Verb& below : verb.verbs()) help += entry(below.name(), below.description());
  }
  return verb.footer().empty() ? help : help + "\n" + verb.footer() + "\n";
}

}  // namespace embd::cli
