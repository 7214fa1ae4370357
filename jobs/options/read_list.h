#pragma once

#include "embd/vectors.h"
#include "jobs/options/option.h"

namespace embd {

template <>
inline constexpr auto option_list<ReadOptions> = std::tuple{
    OptionOf{.member = &ReadOptions::format,
             .name = "from",
             .keyword = "format",
             .value = "FORMAT",
             .group = OptionGroup::reading,
             .help = "The format of the input (recognized by its content, then by its extension)"},
    OptionOf{.member = &ReadOptions::element_type,
             .name = "dtype",
             .words = raw_type_names,
             .value = "TYPE",
             .formats = {"svs", "fvecs", "ivecs", "bvecs", "hvecs", "fbin", "u8bin", "i8bin"},
             .group = OptionGroup::reading,
             .help = "The type of the values in raw files, which do not state it"},
    OptionOf{.member = &ReadOptions::column,
             .name = "column",
             .value = "NAME",
             .formats = {"cvc", "parquet"},
             .group = OptionGroup::reading,
             .help = "CVC, Parquet: the column to read"},
    InternalOf{&ReadOptions::any_column},
    OptionOf{.member = &ReadOptions::section,
             .name = "section",
             .value = "KEY=VALUE",
             .formats = {"cvc"},
             .group = OptionGroup::reading,
             .help = "CVC: rows of the sections with this metadata"},
    OptionOf{.member = &ReadOptions::all_rows,
             .name = "all_rows",
             .formats = {"finalfusion", "fasttext"},
             .group = OptionGroup::reading,
             .help = "finalfusion: read the rows of subwords, too"},
    OptionOf{
        .member = &ReadOptions::unnormalize,
        .name = "unnormalize",
        .formats = {"finalfusion"},
        .group = OptionGroup::reading,
        .help =
            "finalfusion: multiply vectors by their norms, to give them their original lengths"}};
static_assert(is_whole_list<ReadOptions>);

}  // namespace embd
