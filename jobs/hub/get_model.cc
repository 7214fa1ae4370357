#include "embd/get_model.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "engine/model_cache.h"
#include "jobs/hub/hub_cache.h"
#include "jobs/hub/hub_requests.h"
#include "jobs/hub/url.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using hub::CheckedFile;
using hub::HubFile;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns the token that Hugging Face's tools have stored; an empty string if there is none.
std::string kept_token() {
  fs::path path = path_from_environment("HF_TOKEN_PATH");
  if (path.empty()) path = hub_home() / "token";
  std::ifstream file(path);
  std::string token;
  file >> token;
  return token;
}

/// Sets options that were not given from the environment.
GetModelOptions completed(GetModelOptions options) {
  if (options.endpoint.empty()) options.endpoint = from_environment("HF_ENDPOINT");
  if (options.endpoint.empty()) options.endpoint = "https://huggingface.co";
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  if (options.token.empty()) options.token = from_environment("HF_TOKEN");
  if (options.token.empty()) options.token = kept_token();
  if (options.cache_folder.empty()) options.cache_folder = hub_cache();
  return options;
}

/// Checks the completed options. A line break in the token would begin another field of the header,
/// so it is refused. No error repeats the token or a password, which are secret.
Result<void> check_options(const GetModelOptions& options) {
  if (!std::ranges::all_of(options.token, [](char c) { return c > ' ' && c < '\x7f'; }))
    return fail(ErrorCode::invalid_argument,
                "the access token contains a space or a character that is not printable ASCII");
  if (!(options.retry_seconds >= 0))
    return fail(ErrorCode::invalid_argument, "retry_seconds is {}, expected a number of at least 0",
                options.retry_seconds);
  if (!EMBD_TRY(hub::parse_url(options.endpoint)).user.empty())
    return fail(ErrorCode::invalid_argument,
                "the address of the hub contains a user name, expected an address without one: an "
                "access token gives access");
  if (options.cache_folder.empty())
    return fail(ErrorCode::invalid_argument,
                "no folder for models is known, because the environment variable HOME is not set: "
                "set it, or name a folder");
  return {};
}

/// Checks that a name is "NAME" or "ORGANIZATION/NAME" by the hub's rules, as far as that is needed
/// to use it as the name of a folder.
Result<void> check_name(const std::string& name) {
  constexpr std::string_view signs = "-_./";
  const auto is_allowed = [&](char c) { return is_ascii_alphanumeric(c) || signs.contains(c); };
  const std::size_t slash = name.find('/');
  const bool is_name = !name.empty() && std::ranges::all_of(name, is_allowed) &&
                       !name.contains("..") && !name.contains("--") && !name.contains("/.") &&
                       name.front() != '/' && name.front() != '.' && name.back() != '/' &&
                       (slash == std::string::npos || name.rfind('/') == slash);
  if (is_name) return {};
  return fail(
      ErrorCode::invalid_argument,
      "{:?} cannot be the name of a model, expected a name such as \"intfloat/e5-small-v2\"", name);
}

Result<void> check_revision(const std::string& revision) {
  const bool is_good = !revision.empty() && !revision.starts_with('/') &&
                       !revision.contains("..") && !revision.contains('\0');
  if (is_good) return {};
  return fail(
      ErrorCode::invalid_argument,
      "{:?} cannot be a revision, expected the name of a branch or a tag, or the hash of a commit",
      revision);
}

/// A download of a model, one call of get_model().
class Fetching {
 public:
  Fetching(std::string name, HttpClient& client, const GetModelOptions& options,
           std::stop_token stop)
      : name_(std::move(name)),
        options_(options),
        requests_(client, options, std::move(stop)),
        cache_(options.cache_folder / path_of_text(cached_model_folder(name_))) {}

  Result<FetchedModel> run() {
    const hub::HubListing listing = EMBD_TRY(requests_.list(name_));
    const auto files = EMBD_TRY(hub::files_of_model(name_, listing));
    for (const HubFile& file : files) progress_.all_bytes += file.size;
    std::vector<CheckedFile> checked;
    for (const HubFile& file : files)
      checked.push_back(EMBD_TRY(find_or_fetch(listing.commit, file)));
    // Files get their names only after all of them have been checked.
    for (const CheckedFile& file : checked) EMBD_TRY(cache_.link(listing.commit, file));
    EMBD_TRY(check_folder(cache_.snapshot(listing.commit), files));
    EMBD_TRY(cache_.set_revision(options_.revision, listing.commit));
    return FetchedModel{.folder = cache_.snapshot(listing.commit),
                        .commit = listing.commit,
                        .fetched_bytes = fetched_};
  }

 private:
  /// Checks that the folder of a known model has no other files that embd reads, which an earlier
  /// download by another program or release could have left.
  Result<void> check_folder(const fs::path& folder, const std::vector<HubFile>& files) const {
    if (files.front().known_sha256.empty()) return {};
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string path = generic_text_of_path(entry->path().lexically_relative(folder));
      if (hub::is_read(path) && std::ranges::find(files, path, &HubFile::path) == files.end())
        return fail_in(entry->path(), ErrorCode::checksum_mismatch,
                       "the file does not belong to the model that embd knows by this name: remove "
                       "it, and try again");
    }
    return {};
  }

  Result<CheckedFile> find_or_fetch(const std::string& commit, const HubFile& file) {
    progress_.file = file.path;
    auto found = EMBD_TRY(cache_.find(file));
    if (!found) {
      auto blob = EMBD_TRY(hub::IncompleteBlob::open(cache_.blob(file), file));
      // Another process may have finished it in the meantime.
      found = EMBD_TRY(cache_.find(file));
      if (!found) return fetch(commit, file, blob);
      blob.discard();
    }
    note(file.size);
    return *std::move(found);
  }

  Result<CheckedFile> fetch(const std::string& commit, const HubFile& file,
                            hub::IncompleteBlob& blob) {
    note(blob.size());
    const hub::HubRequests::Destination to = {
        .size = [&] { return blob.size(); },
        .clear =
            [&] {
              progress_.bytes -= blob.size();
              return blob.clear();
            },
        .append = [&](std::string_view bytes) -> Result<void> {
          EMBD_TRY(blob.append(bytes));
          fetched_ += bytes.size();
          note(bytes.size());
          return {};
        }};
    if (blob.size() < file.size) EMBD_TRY(requests_.fetch(name_, commit, file, to));
    return in_file(cache_.blob(file), blob.finish());
  }

  void note(std::uint64_t bytes) {
    progress_.bytes += bytes;
    if (options_.on_progress) options_.on_progress(progress_);
  }

  std::string name_;
  const GetModelOptions& options_;
  hub::HubRequests requests_;
  hub::HubCache cache_;
  GetModelProgress progress_;
  std::uint64_t fetched_ = 0;
};

}  // namespace

Result<FetchedModel> get_model(const std::string& name, HttpClient& client,
                               const GetModelOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<FetchedModel> {
    EMBD_TRY(check_name(name));
    EMBD_TRY(check_revision(options.revision));
    const GetModelOptions complete = completed(options);
    EMBD_TRY(check_options(complete));
    return Fetching(full_model_name(name), client, complete, std::move(stop)).run();
  });
}

}  // namespace embd
