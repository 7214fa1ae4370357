#include "faces/cli/options/text_options.h"

#include <algorithm>
#include <iterator>

#include "base/path_text.h"
#include "base/try.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printing.h"
#include "faces/cli/remedy.h"
#include "formats/text/open_records.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {

void add_text_options(Verb& verb, InputOptions& options) {
  add_all_listed(verb, options, {"token_ids_field"});
  options.on_warning = [](std::string_view warning) {
    say("embd: warning: {}: {}\n", printable(warning), quotes_remedy);
  };
}

std::vector<std::string> text_options() {
  std::vector<std::string> names;
  for_each_own_option<InputOptions>([&](const auto& option) {
    if (!option.option.empty() && option.name != "token_ids_field")
      names.push_back(dashed(option.option));
  });
  return names;
}

std::optional<std::string> given_text_option(const Verb& verb) {
  for (const std::string& name : text_options())
    if (verb.is_given(name)) return name;
  return std::nullopt;
}

Option& add_text_input(Verb& verb, TextInput& input, const std::string& positional) {
  Option& path = verb.add_option(positional, input.path, "Texts; - is standard input");
  add_text_options(verb, input.options);
  return path;
}

void add_on_truncate(Verb& verb, OnTruncate& on_truncate) {
  add_choice<OnTruncate>(
      verb, "--on-truncate", on_truncate,
      {{"ignore", OnTruncate::ignore}, {"warn", OnTruncate::warn}, {"error", OnTruncate::error}},
      "What to do if a text is cut (warn)")
      .in(OptionGroup::input);
}

void add_progress(Verb& verb, std::string& progress) {
  add_choice<std::string>(verb, "--progress", progress,
                          {{"auto", "auto"}, {"always", "always"}, {"never", "never"}},
                          "Show a progress bar (auto: on a terminal)")
      .in(OptionGroup::running);
}

std::vector<std::filesystem::path> paths_or_standard_input(
    const std::vector<std::filesystem::path>& paths) {
  return paths.empty() ? std::vector<std::filesystem::path>{"-"} : paths;
}

Option& add_text_inputs(Verb& verb, TextInputs& input, const std::string& positional) {
  Option& paths =
      verb.add_option(positional, input.paths,
                      "Texts: files, and folders for their .txt, .text, .md, .jsonl, .ndjson, .csv "
                      "and .tsv files, sorted; - is standard input")
          .expected(1, unlimited)
          .type_name(positional + "...");
  add_text_options(verb, input.options);
  return paths;
}

Option& add_token_ids_field(Verb& verb, InputOptions& options) {
  return add_listed<&InputOptions::token_ids_field>(verb, options.token_ids_field)
      .excludes({"--text-field"});
}

Result<std::vector<std::string>> read_texts(const std::string& path, const InputOptions& options,
                                            const std::stop_token& stop) {
  std::vector<std::string> texts;
  if (path.empty()) return texts;
  const auto reader = EMBD_TRY(open_records(path_of_text(path), options, stop));
  for (Record record; EMBD_TRY(reader->next(record));) texts.push_back(record.text);
  return texts;
}

Result<std::vector<std::string>> read_queries(const QueryTexts& queries,
                                              const std::stop_token& stop) {
  const auto num_streams = std::ranges::count(queries.texts, "-") + (queries.file == "-" ? 1 : 0) +
                           (queries.is_standard_input_taken ? 1 : 0);
  if (num_streams > 1)
    return fail(ErrorCode::invalid_argument,
                "standard input was named twice, as the queries and as another input: name a file "
                "for one of them");
  std::vector<std::string> texts;
  const auto append = [&](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(texts));
  };
  for (const std::string& text : queries.texts) {
    if (text == "-")
      append(EMBD_TRY(read_texts(text, {}, stop)));
    else
      texts.push_back(text);
  }
  append(EMBD_TRY(read_texts(queries.file, queries.input, stop)));
  return texts;
}

}  // namespace embd::cli
