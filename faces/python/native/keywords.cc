#include "faces/python/native/keywords.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/decimal.h"
#include "embd/model.h"
#include "embd/reranker.h"
#include "faces/python/native/bindings.h"
#include "jobs/options/job_lists.h"
#include "jobs/options/model_lists.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

[[noreturn]] void raise_type(std::string_view keyword, std::string_view expected,
                             nb::handle object) {
  const std::string type = nb::cast<std::string>(object.type().attr("__name__"));
  throw nb::type_error(
      fmt::format("{} is of the type {}, expected {}", keyword, type, expected).c_str());
}

/// Returns the object as a T. Raises a TypeError that says what was expected.
template <class T>
T cast_as(nb::handle object, std::string_view keyword, std::string_view expected) {
  T value{};
  if (!nb::try_cast(object, value)) raise_type(keyword, expected, object);
  return value;
}

/// Binds a structure of options, which Python makes of keyword arguments.
template <class Options>
nb::class_<Options> bind(nb::module_& module, const char* name) {
  nb::class_<Options> bound(module, name);
  bound.def(
      "__init__",
      [](Options* place, const nb::kwargs& given) {
        Options options;
        set_options(given, options);
        new (place) Options(std::move(options));
      },
      nb::sig("def __init__(self, **options: typing.Any) -> None"));
  return bound;
}

}  // namespace

bool flag_of(nb::handle object, std::string_view keyword) {
  return cast_as<bool>(object, keyword, "bool");
}

std::uint64_t number_of(nb::handle object, std::string_view keyword, std::uint64_t least,
                        std::uint64_t greatest) {
  if (!nb::hasattr(object, "__index__")) raise_type(keyword, "int", object);
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  std::uint64_t value = 0;
  if (nb::try_cast(number, value) && value >= least && value <= greatest) return value;
  raise_invalid(fmt::format("{} is {}, expected {} to {}", keyword, nb::str(number).c_str(), least,
                            greatest));
}

double real_of(nb::handle object, std::string_view keyword) {
  return cast_as<double>(object, keyword, "float");
}

std::string text_of(nb::handle object, std::string_view keyword) {
  return cast_as<std::string>(object, keyword, "str");
}

std::filesystem::path path_of(nb::handle object, std::string_view keyword) {
  return cast_as<std::filesystem::path>(object, keyword, "str or os.PathLike");
}

std::vector<std::string> texts_of(nb::handle object, std::string_view keyword) {
  if (nb::isinstance<nb::str>(object)) return {text_of(object, keyword)};
  return cast_as<std::vector<std::string>>(object, keyword, "a sequence of str");
}

char character_of(nb::handle object, std::string_view keyword) {
  const std::string text = text_of(object, keyword);
  if (const auto character = character_in(text)) return *character;
  raise_invalid(fmt::format("{} is \"{}\", expected one character, or \"tab\"", keyword, text));
}

InputPart part_of(nb::handle object, std::string_view keyword) {
  std::pair<std::uint64_t, std::uint64_t> part;
  if (nb::isinstance<nb::str>(object)) {
    const std::string text = text_of(object, keyword);
    const std::string_view index = std::string_view(text).substr(0, text.find('/'));
    const std::string_view count = std::string_view(text).substr(index.size());
    const auto first = whole_number<std::uint64_t>(index);
    const auto second = whole_number<std::uint64_t>(count.substr(count.empty() ? 0 : 1));
    if (!first || !second)
      raise_invalid(fmt::format("{} is \"{}\", expected I/N, such as 0/4", keyword, text));
    part = {*first, *second};
  } else if (!nb::isinstance<nb::tuple>(object) || nb::len(object) != 2) {
    raise_type(keyword, "(index, count)", object);
  } else {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    part = {number_of(object[0], keyword, 0, most), number_of(object[1], keyword, 0, most)};
  }
  if (part.first < part.second) return {part.first, part.second};
  raise_invalid(fmt::format("{} is {}/{}, expected I/N with I from 0 and less than N", keyword,
                            part.first, part.second));
}

Metric metric_of(const std::string& word) {
  constexpr auto option = option_of<&IndexOptions::metric>();
  if (const auto metric = option.value_of(word)) return *metric;
  std::vector<std::string_view> words;
  for (const auto& [known, metric] : option.words) words.push_back(known);
  raise_no_word("metric", word, words);
}

void raise_no_word(std::string_view keyword, const std::string& word,
                   const std::vector<std::string_view>& words) {
  raise_invalid(
      fmt::format("{} is \"{}\", expected one of {}", keyword, word, fmt::join(words, ", ")));
}

void raise_unknown(std::string_view keyword) {
  throw nb::type_error(fmt::format("no option is named '{}'", keyword).c_str());
}

void raise_no_use(std::string_view keyword, std::span<const std::string_view> formats,
                  const std::vector<std::string_view>& written) {
  std::vector<std::string_view> named(formats.begin(), formats.end());
  std::erase(named, "");
  raise_invalid(fmt::format("{} applies to {} only, but the format of the output is {}", keyword,
                            fmt::join(named, ", "), fmt::join(written, ", ")));
}

void bind_keywords(nb::module_& module) {
  module.def(
      "keywords",
      [] {
        nb::dict structures;
        for_each_list([&]<class Options>(std::string_view structure) {
          nb::list keywords;
          for_each_own_option<Options>([&](const auto& option) {
            if (!option.keyword.empty()) keywords.append(std::string(option.keyword));
          });
          structures[std::string(structure).c_str()] = keywords;
        });
        return structures;
      },
      "Returns the keywords of each structure of options, by the structure's name.",
      nb::sig("def keywords() -> dict[str, list[str]]"));
}

void bind_options(nb::module_& module) {
  bind<EncodeOptions>(module, "EncodeOptions").def_ro("truncate_dim", &EncodeOptions::truncate_dim);
  bind<ScoreOptions>(module, "ScoreOptions");
}

}  // namespace embd::python
