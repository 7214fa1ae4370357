#pragma once

#include "embd/texts.h"
#include "jobs/options/option.h"

namespace embd {

template <>
inline constexpr auto option_list<InputOptions> = std::tuple{
    OptionOf{.member = &InputOptions::format,
             .name = "input_format",
             .words = input_format_names,
             .unset = "auto",
             .group = OptionGroup::input,
             .help = "The format of the texts; auto: by the extension, else txt"},
    OptionOf{.member = &InputOptions::text_field,
             .name = "text_field",
             .value = "NAME",
             .group = OptionGroup::input,
             .help = "Field that holds the text (text)"},
    OptionOf{.member = &InputOptions::id_field,
             .name = "id_field",
             .value = "NAME",
             .group = OptionGroup::input,
             .help = "Field that holds the id of a row"},
    OptionOf{.member = &InputOptions::id_from,
             .name = "id_from",
             .words = id_source_names,
             .group = OptionGroup::input,
             .help = "file: ids are the file's name and the line, such as notes/a.txt:12"},
    OptionOf{.member = &InputOptions::id_type,
             .name = "id_type",
             .words = id_type_names,
             .needs = "id_field",
             .group = OptionGroup::input,
             .help = "The type of ids in csv and tsv; auto: the type that the first id has"},
    OptionOf{.member = &InputOptions::has_header,
             .name = "has_header",
             .option = "no_header",
             .group = OptionGroup::input,
             .help = "csv, tsv: the first row is data, not a header; fields are named by their "
                     "numbers from 1"},
    OptionOf{.member = &InputOptions::encoding,
             .name = "encoding",
             .value = "NAME",
             .group = OptionGroup::input,
             .help = "Encoding of the file, such as latin-1 or windows-1252 (utf-8)"},
    OptionOf{.member = &InputOptions::invalid_text,
             .name = "invalid_utf8",
             .words = invalid_text_names,
             .group = OptionGroup::input,
             .help = "Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"},
    OptionOf{
        .member = &InputOptions::delimiter,
        .name = "delimiter",
        .value = "CHAR",
        .group = OptionGroup::input,
        .help = "csv: the character between the fields of a row, such as \";\" or tab (a comma)"},
    OptionOf{.member = &InputOptions::skip_empty,
             .name = "skip_empty",
             .group = OptionGroup::input,
             .help = "Leave out texts that are empty or only white space; rows are numbered "
                     "without them"},
    OptionOf{.member = &InputOptions::token_ids_field,
             .name = "token_ids_field",
             .value = "NAME",
             .group = OptionGroup::input,
             .help = "JSON Lines: field that holds token ids, as embd tokenize writes them, "
                     "instead of a text"},
    OptionOf{.member = &InputOptions::max_text_bytes,
             .name = "max_text_bytes",
             .least = 1,
             .group = OptionGroup::input,
             .help = "Largest size of a line, or of a csv field, in bytes; a larger one is an "
                     "error (1073741824)",
             .decides = Decides::nothing},
    // Fields that become sections and columns of an output. EmbedOptions names them.
    OptionOf{.member = &InputOptions::fields, .name = "fields", .option = "", .keyword = ""},
    OptionOf{.member = &InputOptions::number_fields,
             .name = "number_fields",
             .option = "",
             .keyword = ""},
    InternalOf{&InputOptions::on_warning}};
static_assert(is_whole_list<InputOptions>);

}  // namespace embd
