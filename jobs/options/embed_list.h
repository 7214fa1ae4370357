#pragma once

#include "embd/embed_file.h"
#include "jobs/options/encode_list.h"
#include "jobs/options/option.h"
#include "jobs/options/output_list.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<EmbedOptions> = std::tuple{
    OptionOf{&EmbedOptions::encode},
    OptionOf{&EmbedOptions::output},
    OptionOf{
        .member = &EmbedOptions::section_fields,
        .name = "section_fields",
        .option = "section_field",
        .value = "NAME",
        .formats = {"cvc"},
        .group = OptionGroup::cvc,
        .help =
            "CVC: neighbouring rows with equal values of this field form a section; repeatable"},
    OptionOf{.member = &EmbedOptions::column_fields,
             .name = "column_fields",
             .option = "column_field",
             .value = "NAME[:TYPE]",
             .formats = {"cvc", "parquet", "jsonl"},
             .group = OptionGroup::output,
             .help = "CVC, Parquet, JSON Lines: a field as a column, of type int32 or of TYPE: "
                     "text, float32, float16, int32, int64, int8, uint8; repeatable"},
    OptionOf{.member = &EmbedOptions::part,
             .name = "part",
             .value = "I/N",
             .group = OptionGroup::running,
             .help = "Embed part I, from 0, of N parts of the input, with a manifest OUT.part.json "
                     "beside each output; embd join joins the parts",
             .decides = Decides::run},
    OptionOf{.member = &EmbedOptions::id_start,
             .name = "id_start",
             .group = OptionGroup::input,
             .help = "Number the rows from N"},
    refuse_truncated_option(&EmbedOptions::refuse_truncated,
                            "A text that would be cut is an error"),
    row_report_option(
        &EmbedOptions::row_report,
        "A file for the number of tokens of each row, and whether the row was truncated"),
    resume_option(&EmbedOptions::resume),
    restart_option(&EmbedOptions::restart),
    InternalOf{&EmbedOptions::progress}};
static_assert(is_whole_list<EmbedOptions>);

}  // namespace embd
