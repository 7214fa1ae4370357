#pragma once

#include "embd/output_options.h"
#include "jobs/options/option.h"
#include "jobs/options/write_list.h"

namespace embd {

template <>
inline constexpr auto option_list<OutputOptions> = std::tuple{
    OptionOf{.member = &OutputOptions::format,
             .name = "output_format",
             .keyword = "format",
             .value = "FORMAT",
             .group = OptionGroup::output,
             .help = "The format of the output (by its extension)",
             .decides = Decides::run},
    OptionOf{.member = &OutputOptions::type,
             .name = "output_type",
             .words = output_type_names,
             .group = OptionGroup::output,
             .help = "The type of the stored values (the usual type of the format)"},
    OptionOf{.member = &OutputOptions::int8_ranges,
             .name = "output_ranges",
             .value = "FILE",
             .needs = "output_type",
             .group = OptionGroup::output,
             .help = "For --output-type int8: a file of two rows, the least and the greatest value "
                     "of each component (computed from the vectors); copied to OUT.ranges.npy"},
    OptionOf{&OutputOptions::write}};
static_assert(is_whole_list<OutputOptions>);

}  // namespace embd
