#include "faces/cli/options/option.h"

#include <algorithm>
#include <utility>

namespace embd::cli {

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::type_name(std::string text) {
  value = std::move(text);
  return *this;
}

Option& Option::repeatable() {
  is_repeatable = true;
  return *this;
}

Option& Option::expected(int least, int most) {
  least_values = least;
  most_values = most;
  return *this;
}

Option& Option::excludes(std::vector<std::string> names) {
  excluded = std::move(names);
  return *this;
}

Option& Option::needs(std::string name_of_other) {
  needed.push_back(std::move(name_of_other));
  return *this;
}

Option& Option::in(OptionGroup heading) {
  group = heading;
  return *this;
}

Option& Option::does_nothing_without(std::string name_of_other) {
  useless_without = std::move(name_of_other);
  return *this;
}

std::string Option::bare_name() const {
  const std::string& text = display_name();
  return text.substr(std::min(text.find_first_not_of('-'), text.size()));
}

}  // namespace embd::cli
