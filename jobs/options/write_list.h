#pragma once

#include "embd/vectors.h"
#include "jobs/options/index_list.h"
#include "jobs/options/option.h"

namespace embd {

template <>
inline constexpr auto option_list<CvcOptions> = std::tuple{
    OptionOf{
        .member = &CvcOptions::compression,
        .name = "cvc_compression",
        .keyword = "compression",
        .words = cvc_compression_names,
        .formats = {"cvc"},
        .group = OptionGroup::cvc,
        .help = "The compression of CVC; none is columnar (fp16; lossless for --output-type f32)"},
    OptionOf{.member = &CvcOptions::chunk_rows,
             .name = "chunk_rows",
             .least = 1,
             .formats = {"cvc"},
             .group = OptionGroup::cvc,
             .help = "CVC: number of rows in a chunk (100,000)"},
    OptionOf{.member = &CvcOptions::mmap,
             .name = "cvc_mmap",
             .keyword = "mmap",
             .formats = {"cvc"},
             .group = OptionGroup::cvc,
             .help = "CVC: every chunk on a page of its own, for readers that map it"},
    OptionOf{.member = &CvcOptions::column,
             .name = "column",
             .option = "",
             .value = "NAME",
             .formats = {"cvc"},
             .group = OptionGroup::cvc,
             .help = "CVC: the name of the column of the rows in a columnar file (embedding)"}};
static_assert(is_whole_list<CvcOptions>);

template <>
inline constexpr auto option_list<FinalfusionOptions> = std::tuple{
    OptionOf{.member = &FinalfusionOptions::quantizer,
             .name = "quantize",
             .words = finalfusion_quantizer_names,
             .formats = {"finalfusion", "svs"},
             .group = OptionGroup::quantizers,
             .help = "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8"},
    OptionOf{.member = &FinalfusionOptions::bits,
             .name = "bits",
             .formats = {"finalfusion"},
             .needs = "quantize",
             .group = OptionGroup::quantizers,
             .help = "finalfusion: bits of each subquantizer (8)"},
    OptionOf{.member = &FinalfusionOptions::subquantizers,
             .name = "subquantizers",
             .formats = {"finalfusion"},
             .needs = "quantize",
             .group = OptionGroup::quantizers,
             .help = "finalfusion: number of subquantizers (dim / 2)"},
    OptionOf{.member = &FinalfusionOptions::metadata,
             .name = "metadata",
             .option = "",
             .value = "TOML",
             .formats = {"finalfusion"},
             .group = OptionGroup::quantizers,
             .help = "finalfusion: metadata, to which the recipe is added"},
    OptionOf{
        .member = &FinalfusionOptions::normalize,
        .name = "normalize_words",
        .option = "normalize",
        .formats = {"finalfusion"},
        .group = OptionGroup::quantizers,
        .help =
            "finalfusion: scale the rows of words to length 1, and store their lengths as norms"},
    InternalOf{&FinalfusionOptions::norms},
    InternalOf{&FinalfusionOptions::subwords}};
static_assert(is_whole_list<FinalfusionOptions>);

template <>
inline constexpr auto option_list<ParquetOptions> =
    std::tuple{OptionOf{.member = &ParquetOptions::compression,
                        .name = "parquet_compression",
                        .words = parquet_compression_names,
                        .formats = {"parquet"},
                        .group = OptionGroup::parquet,
                        .help = "The compression of Parquet (none); zstd makes files smaller by a "
                                "sixth, and takes longer"},
               OptionOf{.member = &ParquetOptions::row_group_rows,
                        .name = "row_group_rows",
                        .least = 1,
                        .formats = {"parquet"},
                        .group = OptionGroup::parquet,
                        .help = "Parquet: number of rows in a row group, which engines process as "
                                "one piece of work (32,768)"},
               OptionOf{.member = &ParquetOptions::texts,
                        .name = "text_column",
                        .formats = {"parquet"},
                        .group = OptionGroup::parquet,
                        .help = "Parquet: a column of the texts"}};
static_assert(is_whole_list<ParquetOptions>);

template <>
inline constexpr auto option_list<SvsOptions> =
    std::tuple{OptionOf{.member = &SvsOptions::layout,
                        .name = "svs_layout",
                        .keyword = "layout",
                        .words = svs_layout_names,
                        .formats = {"svs"},
                        .group = OptionGroup::svs,
                        .help = "SVS: the layout of the output (directory)"},
               // finalfusion and SVS share this option: their quantizers have different names.
               OptionOf{.member = &SvsOptions::quantizer,
                        .name = "svs_quantize",
                        .option = "quantize",
                        .keyword = "quantize",
                        .words = svs_quantizer_names,
                        .formats = {"finalfusion", "svs"},
                        .group = OptionGroup::quantizers,
                        .help = "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8"}};
static_assert(is_whole_list<SvsOptions>);

template <>
inline constexpr auto option_list<WriteOptions> =
    std::tuple{// A job has OutputOptions instead of these.
               OptionOf{.member = &WriteOptions::format,
                        .name = "format",
                        .option = "",
                        .value = "FORMAT",
                        .group = OptionGroup::output,
                        .help = "The format of the output (by its extension)",
                        .decides = Decides::nothing},
               OptionOf{.member = &WriteOptions::element_type,
                        .name = "dtype",
                        .option = "",
                        .words = element_type_names,
                        .value = "TYPE",
                        .group = OptionGroup::output,
                        .help = "Type of the stored values (f32)",
                        .decides = Decides::nothing},
               InternalOf{&WriteOptions::ids},
               InternalOf{&WriteOptions::num_rows},
               InternalOf{&WriteOptions::recipe},
               InternalOf{&WriteOptions::columns},
               InternalOf{&WriteOptions::text_columns},
               OptionOf{&WriteOptions::cvc},
               OptionOf{&WriteOptions::finalfusion},
               OptionOf{&WriteOptions::parquet},
               OptionOf{&WriteOptions::svs},
               OptionOf{&WriteOptions::index},
               InternalOf{&WriteOptions::kind}};
static_assert(is_whole_list<WriteOptions>);

}  // namespace embd
