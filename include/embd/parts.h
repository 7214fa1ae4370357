#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "embd/convert.h"
#include "embd/digest.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/recipe.h"
#include "embd/texts.h"

// A job that is split over processes or machines: each embeds a part of the input
// (EmbedOptions.part) and says in a manifest what it made; join_parts() checks and joins them.
namespace embd {

/// The manifest of a part: docs/formats/part.md.
struct PartManifest {
  InputPart part;
  RowKind kind = RowKind::vector;  ///< of the rows
  std::string vectors;             ///< the name of the file or directory, in the manifest's folder
  std::uint64_t rows = 0;
  std::uint64_t first_text = 0;  ///< number of its first text in the whole input
  std::uint64_t texts = 0;
  bool has_ids = false;    ///< ids were given; otherwise rows are just numbered, as in the whole
  RecordId first_id = {};  ///< of its first and last row; monostate if it has no rows
  RecordId last_id = {};
  std::uint64_t input_bytes = 0;  ///< of the whole input
  /// SHA-256 of the whole input's bytes before the part's first record, and up to the end of its
  /// last one. Parts that follow each other in one input agree in the hash between them.
  std::string input_sha256_before;
  std::string input_sha256_after;
  /// The options that decide the rows and that no recipe has, by name, each as JSON.
  std::map<std::string, std::string> conditions;
  Digest digest = Digest();   ///< of the rows before they were stored
  std::string stored_digest;  ///< Digest::vectors_hex() of the rows as the file gives them back
  Recipe recipe;
};

/// The path of the manifest that belongs to vectors: OUT.part.json.
std::filesystem::path part_manifest_path(const std::filesystem::path& vectors);
/// Errors: those of reading; bad_json, bad_type, bad_value, missing.
Result<PartManifest> read_part_manifest(const std::filesystem::path& path);

struct JoinReport {
  /// Parts that are missing or not what their manifests say, a line each; nothing was written then.
  std::vector<std::string> problems;
  std::uint64_t parts = 0;
  std::uint64_t rows = 0;
  Digest digest;  ///< of all rows: the sum of those of the parts
  ConvertReport conversion;
};

/// Joins the parts of a job to the vector set that the job would have made in one run. Before it
/// writes, it checks that all parts are there, once, that they were made with one recipe and equal
/// options, that each begins in the input where the part before it ended, and that each file still
/// holds the rows that its manifest was written for. The manifests may come in any order. Errors:
/// recipe_mismatch, which names the fields of the recipe or the options; those of
/// convert_vectors().
Result<JoinReport> join_parts(const std::vector<std::filesystem::path>& manifests,
                              const std::filesystem::path& output,
                              const OutputOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
