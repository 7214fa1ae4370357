#pragma once

#include "embd/convert.h"
#include "embd/verify.h"
#include "jobs/options/encode_list.h"
#include "jobs/options/index_list.h"
#include "jobs/options/input_list.h"
#include "jobs/options/option.h"
#include "jobs/options/output_list.h"
#include "jobs/options/read_list.h"

namespace embd {

template <>
inline constexpr auto option_list<VerifyOptions> =
    std::tuple{OptionOf{&VerifyOptions::encode},
               OptionOf{.member = &VerifyOptions::sample,
                        .name = "sample",
                        .group = OptionGroup::running,
                        .help = "Check only N rows, drawn at random (all)",
                        .decides = Decides::nothing},
               OptionOf{.member = &VerifyOptions::seed,
                        .name = "seed",
                        .value = "S",
                        .needs = "sample",
                        .group = OptionGroup::running,
                        .help = "The seed for drawing rows with --sample (0)",
                        .decides = Decides::nothing},
               OptionOf{.member = &VerifyOptions::force,
                        .name = "force",
                        .group = OptionGroup::running,
                        .help = "Check even if the recipe names another model or other options",
                        .decides = Decides::nothing},
               OptionOf{&VerifyOptions::read},
               OptionOf{&VerifyOptions::input}};
static_assert(is_whole_list<VerifyOptions>);

template <>
inline constexpr auto option_list<ConvertOptions> =
    std::tuple{OptionOf{&ConvertOptions::read}, OptionOf{&ConvertOptions::output},
               // --rows A:B sets both.
               OptionOf{.member = &ConvertOptions::first_row,
                        .name = "first_row",
                        .option = "rows",
                        .value = "A:B",
                        .group = OptionGroup::output,
                        .help = "Take only the rows from A up to, but not including, B"},
               OptionOf{.member = &ConvertOptions::end_row,
                        .name = "end_row",
                        .option = "rows",
                        .value = "A:B",
                        .group = OptionGroup::output,
                        .help = "Take only the rows from A up to, but not including, B"},
               OptionOf{.member = &ConvertOptions::force,
                        .name = "force",
                        .group = OptionGroup::running,
                        .help = "Continue even if the inputs were made with different recipes",
                        .decides = Decides::nothing}};
static_assert(is_whole_list<ConvertOptions>);

template <>
inline constexpr auto option_list<IndexFileOptions> = std::tuple{
    OptionOf{&IndexFileOptions::read}, OptionOf{&IndexFileOptions::index},
    OptionOf{.member = &IndexFileOptions::certify,
             .name = "certify",
             .least = 1,
             .group = OptionGroup::index,
             .help = "Measure recall@10 on N of the rows and store it in OUT.recipe.json"}};
static_assert(is_whole_list<IndexFileOptions>);

}  // namespace embd
