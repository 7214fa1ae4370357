#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "base/kernel_profile.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "jobs/convert/convert.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/narrow_rows.h"

namespace embd {
namespace {

/// The manifest of a part, and its path.
struct Part {
  std::filesystem::path path;
  PartManifest manifest;

  std::filesystem::path vectors() const {
    return follow_links(path).parent_path() / path_of_text(manifest.vectors);
  }
  std::string name() const {
    return fmt::format("part {} ({})", manifest.part.index, text_of_path(path));
  }
};

/// Returns numbers in ascending order as a text such as "2, 5–7, 9".
std::string in_words(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    words.push_back(last == i ? fmt::to_string(numbers[i])
                              : fmt::format("{}–{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Reads manifests, and returns them in the order of their parts.
Result<std::vector<Part>> read_parts(const std::vector<std::filesystem::path>& paths) {
  std::vector<Part> parts;
  for (const std::filesystem::path& path : paths) {
    PartManifest manifest = EMBD_TRY(read_part_manifest(path));
    parts.push_back({path, std::move(manifest)});
  }
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.manifest.part.index; });
  return parts;
}

/// Checks that writing the output does not replace a file that is read.
Result<void> check_paths(const std::vector<Part>& parts, const OutputTarget& output) {
  ConvertPlan plan = {.inputs = {}, .output = output};
  PathRoles manifests;
  for (const Part& part : parts) {
    manifests.reads("a part's manifest", part.path);
    plan.inputs.push_back(part.vectors());
  }
  return check_roles(plan, std::move(manifests));
}

/// Returns all conditions that decide the rows of a part besides its texts.
Conditions conditions_of(const PartManifest& manifest) {
  const Recipe& recipe = manifest.recipe;
  nlohmann::json fields = deciding_fields(recipe);
  fields["output_type"] = recipe.output_type;
  // All sets of kernels compute the same bytes, except the reference.
  if (recipe.instruction_set == name_of(KernelProfile::reference))
    fields["instruction_set"] = recipe.instruction_set;
  fields["kind"] = std::to_underlying(manifest.kind);
  Conditions conditions;
  for (const auto& [name, value] : fields.items()) conditions[name] = value.dump();
  conditions.insert(manifest.conditions.begin(), manifest.conditions.end());
  return conditions;
}

/// Fails with recipe_mismatch if parts were made with different options. What the names of the
/// files decide counts only if the bytes are those of one input; else that is the problem to
/// report.
Result<void> check_conditions(const std::vector<Part>& parts, bool are_of_one_input) {
  const Conditions first = conditions_of(parts[0].manifest);
  for (const Part& part : parts) {
    auto names = differing_names(first, conditions_of(part.manifest));
    if (!are_of_one_input)
      std::erase_if(names, [](const std::string& name) { return name.starts_with("input_"); });
    if (names.empty()) continue;
    return fail_in(part.path, ErrorCode::recipe_mismatch,
                   "this part differs from {} in {}, expected parts made with the same options",
                   text_of_path(parts[0].path), fmt::join(names, ", "));
  }
  return {};
}

/// Says why `next` cannot be the part that follows `part` in one input; empty if it can.
std::string problem_between(const Part& part, const Part& next) {
  const PartManifest& before = part.manifest;
  const PartManifest& after = next.manifest;
  if (after.input_sha256_before != before.input_sha256_after) {
    return fmt::format(
        "{}: the input of this part differs from the input of {} before text {}, where one part "
        "ends and the next begins: make all parts from the same unchanged input",
        next.name(), part.name(), before.first_text + before.texts);
  }
  if (after.first_text == before.first_text + before.texts) return {};
  return fmt::format("{}: the part begins with text {}, but the part before it ends before text {}",
                     next.name(), after.first_text, before.first_text + before.texts);
}

/// Returns all problems that the manifests of the parts show, a line for each.
std::vector<std::string> problems_of(const std::vector<Part>& parts) {
  std::vector<std::string> problems;
  const PartManifest& first = parts[0].manifest;
  std::vector<std::uint64_t> missing;
  std::uint64_t next = 0;          // the part that is expected
  const Part* previous = nullptr;  // the part before it
  for (const Part& part : parts) {
    const PartManifest& manifest = part.manifest;
    const auto [index, count] = manifest.part;
    if (count != first.part.count || manifest.input_bytes != first.input_bytes) {
      problems.push_back(
          fmt::format("{}: this is one of {} parts of an input of {} bytes, but {} is one of {} "
                      "parts of an input of {} bytes",
                      part.name(), count, manifest.input_bytes, parts[0].name(), first.part.count,
                      first.input_bytes));
      continue;
    }
    if (index < next) {
      problems.push_back(fmt::format("{}: the part was given twice", part.name()));
      continue;
    }
    if (index == next && previous != nullptr)
      if (std::string problem = problem_between(*previous, part); !problem.empty())
        problems.push_back(std::move(problem));
    for (; next < index; ++next) missing.push_back(next);
    ++next;
    previous = &part;
    if (manifest.rows > 0 && first.rows > 0 && manifest.first_id.index() != first.first_id.index())
      problems.push_back(fmt::format(
          "{}: the ids are of another kind (strings, numbers or none) than the ids of {}",
          part.name(), parts[0].name()));
  }
  for (; next < first.part.count; ++next) missing.push_back(next);
  if (!missing.empty())
    problems.push_back(fmt::format("{} of {} parts are missing: {}", missing.size(),
                                   first.part.count, in_words(missing)));
  return problems;
}

/// Says what is wrong with the file of a part. Returns an empty string if it holds the rows that
/// its manifest describes.
Result<std::string> problem_with_file(const Part& part) {
  std::error_code error;
  if (!std::filesystem::exists(part.vectors(), error))
    return fmt::format("{}: the file {} does not exist", part.name(), text_of_path(part.vectors()));
  const Digest found = EMBD_TRY(digest_file(part.vectors(), read_whole_part));
  if (found.count() == part.manifest.rows && found.vectors_hex() == part.manifest.stored_digest)
    return std::string();
  return fmt::format(
      "{}: the file {} does not contain the {} rows that were written, but {}", part.name(),
      text_of_path(part.vectors()), part.manifest.rows,
      found.count() == part.manifest.rows ? "other rows" : fmt::format("{} rows", found.count()));
}

/// Returns the output type that the rows of a part keep if they are joined to an output of its
/// format: float16, or bits that the format has packed; automatic for others.
Result<OutputType> kept_type(const VectorReader& part) {
  const std::string& encoding = part.info().encoding;
  if (encoding == element_name(ElementType::f16)) return OutputType::f16;
  const std::optional<Recipe> recipe = EMBD_TRY(part.recipe());
  const bool is_binary = recipe && recipe->output_type == output_type_name(OutputType::binary);
  return is_binary && encoding == element_name(ElementType::b1) ? OutputType::binary
                                                                : OutputType::automatic;
}

/// Returns the output type of the joined rows. If the output has the format of all parts, it is the
/// type that they keep, as if the job had not been divided.
Result<OutputType> type_of_parts(const std::vector<std::filesystem::path>& vectors,
                                 const OutputTarget& output) {
  if (output.options.type != OutputType::automatic) return output.options.type;
  std::optional<OutputType> common;
  for (const std::filesystem::path& path : vectors) {
    const auto reader = EMBD_TRY(open_vectors(path, read_whole_part));
    const OutputType type = EMBD_TRY(kept_type(*reader));
    if (&format_of(reader->info()) != output.format || common.value_or(type) != type)
      return OutputType::automatic;
    common = type;
  }
  return common.value_or(OutputType::automatic);
}

/// Checks the files of all parts. Adds problems with them to the report's problems, and their
/// digests to its digest. Returns the files that have rows, or one file if none has.
Result<std::vector<std::filesystem::path>> check_files(const std::vector<Part>& parts,
                                                       const std::stop_token& stop,
                                                       JoinReport& report) {
  std::vector<std::filesystem::path> vectors;
  for (const Part& part : parts) {
    if (stop.stop_requested()) return fail_stopped();
    std::string problem = EMBD_TRY(problem_with_file(part));
    if (!problem.empty()) report.problems.push_back(std::move(problem));
    if (&part == &parts[0]) {
      report.digest = part.manifest.digest;
    } else {
      EMBD_TRY(report.digest.add(part.manifest.digest));
    }
    // A set without rows may not state the number of values of a row.
    if (part.manifest.rows > 0) vectors.push_back(part.vectors());
  }
  if (vectors.empty()) vectors.push_back(parts[0].vectors());
  return vectors;
}

/// Returns the number of values of a row in the file, which is smaller for packed bits.
std::uint64_t stored_dim(const Recipe& recipe) {
  const bool is_binary = recipe.output_type == output_type_name(OutputType::binary);
  return is_binary ? binary_dim(recipe.truncate_dim) : recipe.truncate_dim;
}

/// Returns the facts about the job whose last part is `last`. `digest` is the digest of all its
/// rows.
JobInParts job_of(const PartManifest& last, const Digest& digest) {
  return {.digest = digest,
          .input_sha256 = last.input_sha256_after,
          .has_ids = last.has_ids,
          .dim = stored_dim(last.recipe),
          .kind = last.kind};
}

Result<JoinReport> join(const std::vector<std::filesystem::path>& manifests,
                        const OutputTarget& output, const std::stop_token& stop) {
  if (manifests.empty())
    return fail(ErrorCode::invalid_argument,
                "no part was given, expected the manifests of all parts");
  const std::vector<Part> parts = EMBD_TRY(read_parts(manifests));
  EMBD_TRY(check_paths(parts, output));
  std::vector<std::string> problems = problems_of(parts);
  EMBD_TRY(check_conditions(parts, problems.empty()));
  JoinReport report;
  report.problems = std::move(problems);
  if (!report.problems.empty()) return report;
  ConvertPlan plan = {.inputs = EMBD_TRY(check_files(parts, stop, report)),
                      .output = output,
                      .options = {.read = read_whole_part}};
  if (!report.problems.empty()) return report;
  plan.job = job_of(parts.back().manifest, report.digest);
  plan.output.options.type = EMBD_TRY(type_of_parts(plan.inputs, output));
  report.conversion = EMBD_TRY(convert_vectors(plan, stop));
  report.parts = parts.size();
  report.rows = report.conversion.rows;
  return report;
}

}  // namespace

Result<JoinReport> join_parts(const std::vector<std::filesystem::path>& manifests,
                              const OutputTarget& output, const std::stop_token& stop) {
  return guarded([&] { return join(manifests, output, stop); });
}

Result<JoinReport> join_parts(const std::vector<std::filesystem::path>& manifests,
                              const std::filesystem::path& output, const OutputOptions& options,
                              std::stop_token stop) {
  return guarded([&]() -> Result<JoinReport> {
    return join(manifests, EMBD_TRY(resolve_output(output, options)), stop);
  });
}

}  // namespace embd
