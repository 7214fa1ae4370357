#pragma once

#include "jobs/options/option.h"

// Descriptions of options that several structures have. They have the same name and the same effect
// in all of them.
namespace embd {

template <class Options, class Value>
constexpr OptionOf<Options, Value> threads_option(
    Value Options::* member,
    std::string_view help =
        "Number of threads, including those that tokenize (as many as affinity and cgroup allow)") {
  return {.member = member,
          .name = "threads",
          .letter = "t",
          .greatest = 1 << 16,
          .group = OptionGroup::running,
          .help = help,
          .decides = Decides::nothing};
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> batch_tokens_option(Value Options::* member) {
  return {
      .member = member,
      .name = "batch_tokens",
      .group = OptionGroup::running,
      .help = "Number of tokens that a thread computes at a time; changes no byte of the result",
      .decides = Decides::nothing};
}

/// Returns the option dedup. `help` says which equal inputs are computed only once.
template <class Options, class Value>
constexpr OptionOf<Options, Value> dedup_option(Value Options::* member, std::string_view help) {
  return {.member = member,
          .name = "dedup",
          .words = on_off_names,
          .group = OptionGroup::running,
          .help = help,
          .decides = Decides::nothing};
}

/// Returns the option refuse_truncated. The command line has --on-truncate instead, which can also
/// ask for a warning.
template <class Options, class Value>
constexpr OptionOf<Options, Value> refuse_truncated_option(Value Options::* member,
                                                           std::string_view help) {
  return {.member = member,
          .name = "refuse_truncated",
          .option = "",
          .group = OptionGroup::input,
          .help = help,
          .decides = Decides::run};
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> row_report_option(Value Options::* member,
                                                     std::string_view help) {
  return {.member = member,
          .name = "row_report",
          .value = "FILE",
          .group = OptionGroup::output,
          .help = help,
          .decides = Decides::run};
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> resume_option(Value Options::* member) {
  return {.member = member,
          .name = "resume",
          .group = OptionGroup::running,
          .help = "Keep a journal beside the first output, and continue from it if it exists",
          .decides = Decides::nothing};
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> restart_option(Value Options::* member) {
  return {.member = member,
          .name = "restart",
          .option = "force",
          .group = OptionGroup::running,
          .help = "Begin again if --resume refuses to continue",
          .decides = Decides::nothing};
}

/// The option force of searches, which compare the recipes of queries and rows.
template <class Options, class Value>
constexpr OptionOf<Options, Value> force_option(Value Options::* member) {
  return {.member = member,
          .name = "force",
          .group = OptionGroup::running,
          .help = "Search even if queries and rows have different recipes",
          .decides = Decides::nothing};
}

}  // namespace embd
