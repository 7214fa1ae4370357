#pragma once

#include <array>
#include <cstddef>

#include "base/metric_names.h"
#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/element_type.h"
#include "embd/enum_names.h"
#include "embd/index_options.h"
#include "embd/model.h"
#include "embd/output_options.h"
#include "embd/texts.h"

// The words for values of options whose types have no EnumNames in their own header. A test in
// tests/jobs/options checks that they equal the names that the library uses elsewhere.
namespace embd {

inline constexpr EnumNames<bool, 2> on_off_names = {{{"on", true}, {"off", false}}};

inline constexpr EnumNames<Compute, 3> compute_names = {
    {{"f32", Compute::f32}, {"bf16", Compute::bf16}, {"int8", Compute::int8}}};

/// The types of the weight matrices in a weight file.
inline constexpr EnumNames<ElementType, 4> weight_type_names = {{{"f32", ElementType::f32},
                                                                 {"f16", ElementType::f16},
                                                                 {"bf16", ElementType::bf16},
                                                                 {"int8", ElementType::i8}}};

inline constexpr EnumNames<InputFormat, 5> input_format_names = {
    {{"txt", InputFormat::txt},
     {"jsonl", InputFormat::jsonl},
     {"csv", InputFormat::csv},
     {"tsv", InputFormat::tsv},
     {"parquet", InputFormat::parquet}}};

inline constexpr EnumNames<IdType, 3> id_type_names = {
    {{"auto", IdType::automatic}, {"number", IdType::number}, {"string", IdType::string}}};

inline constexpr EnumNames<OutputType, 4> output_type_names = {{{"f32", OutputType::f32},
                                                                {"f16", OutputType::f16},
                                                                {"int8", OutputType::int8},
                                                                {"binary", OutputType::binary}}};

inline constexpr EnumNames<IndexKind, 2> index_kind_names = {
    {{"hnsw", IndexKind::hnsw}, {"vamana", IndexKind::vamana}}};

inline constexpr EnumNames<Builder, 2> builder_names = {
    {{"parallel", Builder::parallel}, {"usearch", Builder::usearch}}};

inline constexpr EnumNames<Keep, 2> keep_names = {
    {{"first", Keep::first}, {"longest", Keep::longest}}};

inline constexpr EnumNames<ClusterMethod, 2> cluster_method_names = {
    {{"kmeans", ClusterMethod::kmeans}, {"density", ClusterMethod::density}}};

/// The types of the values in raw files, which have nothing but rows.
inline constexpr EnumNames<ElementType, 12> raw_type_names = {{{"f32", ElementType::f32},
                                                               {"f64", ElementType::f64},
                                                               {"f16", ElementType::f16},
                                                               {"bf16", ElementType::bf16},
                                                               {"i8", ElementType::i8},
                                                               {"u8", ElementType::u8},
                                                               {"i16", ElementType::i16},
                                                               {"u16", ElementType::u16},
                                                               {"i32", ElementType::i32},
                                                               {"u32", ElementType::u32},
                                                               {"i64", ElementType::i64},
                                                               {"u64", ElementType::u64}}};

/// The types of the values in an index, which are those of USearch.
inline constexpr EnumNames<ElementType, 11> index_scalar_names = {{{"f32", ElementType::f32},
                                                                   {"f64", ElementType::f64},
                                                                   {"f16", ElementType::f16},
                                                                   {"bf16", ElementType::bf16},
                                                                   {"i8", ElementType::i8},
                                                                   {"u8", ElementType::u8},
                                                                   {"b1", ElementType::b1},
                                                                   {"e5m2", ElementType::e5m2},
                                                                   {"e4m3", ElementType::e4m3},
                                                                   {"e3m2", ElementType::e3m2},
                                                                   {"e2m3", ElementType::e2m3}}};

/// All types of values: first those of raw files, then those that only indexes have.
inline constexpr EnumNames<ElementType, 17> element_type_names = [] {
  EnumNames<ElementType, 17> names;
  for (std::size_t i = 0; i < 12; ++i) names[i] = raw_type_names[i];
  for (std::size_t i = 12; i < 17; ++i) names[i] = index_scalar_names[i - 6];
  return names;
}();

}  // namespace embd
