#include "faces/cli/options/verb.h"

#include <algorithm>
#include <utility>

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

}  // namespace embd::cli
