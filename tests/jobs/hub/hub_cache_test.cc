#include "jobs/hub/hub_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/checksum.h"
#include "base/try.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd::hub {
namespace {

using test::content;
using test::write_file;

HubFile file_of(std::string path, const std::string& content) {
  return {.path = std::move(path), .size = content.size(), .hash = sha256_hex(as_bytes(content))};
}

/// Puts a file into the cache as a download does. Returns nothing if another download of it goes
/// on, or has ended meanwhile.
Result<std::optional<CheckedFile>> put(const HubCache& cache, const HubFile& file,
                                       std::string_view content) {
  auto blob = IncompleteBlob::open(cache.blob(file), file);
  if (!blob) return std::nullopt;
  if (EMBD_TRY(cache.find(file))) {
    blob->discard();
    return std::nullopt;
  }
  EMBD_TRY(blob->clear());
  for (const char& byte : content) EMBD_TRY(blob->append(std::string_view(&byte, 1)));
  return EMBD_TRY(blob->finish());
}

class HubCacheTest : public test::TemporaryDirectory {
 protected:
  HubCache cache() const { return HubCache(directory()); }
};

TEST_F(HubCacheTest, ABlobOfAnotherSizeIsNotFound) {
  const HubFile file = file_of("config.json", "{\"a\": 1}");
  ASSERT_TRUE(put(cache(), file, "{\"a\": 1}"));
  ASSERT_TRUE(cache().find(file));
  EXPECT_TRUE(*cache().find(file));
  write_file(cache().blob(file), "{\"a\"");
  EXPECT_FALSE(*cache().find(file));
}

TEST_F(HubCacheTest, ABlobOfAKnownFileMustHaveItsHash) {
  HubFile file = file_of("config.json", "{}");
  ASSERT_TRUE(*put(cache(), file, "{}"));
  file.known_sha256 = file.hash;
  EXPECT_TRUE(*cache().find(file));
  write_file(cache().blob(file), "[]");
  EXPECT_FALSE(*cache().find(file));
}

TEST_F(HubCacheTest, ALinkReplacesWhatHasItsName) {
  const HubFile file = file_of("1_Pooling/config.json", "{}");
  const auto checked = put(cache(), file, "{}");
  ASSERT_TRUE(checked && *checked);
  const auto path = cache().snapshot("c") / file.path;
  std::filesystem::create_directories(path.parent_path());
  write_file(path, "a copy");
  write_file(std::filesystem::path(path) += ".embd-0.tmp", "of another process");
  ASSERT_TRUE(cache().link("c", **checked));
  EXPECT_NE(std::filesystem::is_symlink(path), test::on_windows) << "a copy there";
  EXPECT_EQ(content(path), "{}");
}

// Threads lock as processes do, because each opens the files anew.
TEST_F(HubCacheTest, ThreeDownloadsAtOnceGiveWholeFiles) {
  if (test::on_windows) GTEST_SKIP() << "of several writers of one file, one may fail on Windows";
  constexpr int num_files = 300;
  std::array<std::string, 3> failures;
  const auto text_of = [](int i) { return "file " + std::to_string(i); };
  const auto download = [&](std::string& failure) {
    for (int i = 0; i < num_files && failure.empty(); ++i) {
      const HubFile file = file_of("config.json", text_of(i));
      while (true) {
        const auto found = cache().find(file);
        if (found && *found) break;
        if (const auto done = put(cache(), file, text_of(i)); !done) {
          failure = done.error().message();
          break;
        }
      }
      const HubFile link = file_of(std::to_string(i), text_of(i));
      const auto found = cache().find(link);
      if (!found || !*found || !cache().link("c", **found)) failure += " no file";
    }
  };
  {
    std::array<std::jthread, 3> threads;
    for (std::size_t i = 0; i < threads.size(); ++i)
      threads[i] = std::jthread([&, i] { download(failures[i]); });
  }
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  for (int i = 0; i < num_files; ++i)
    ASSERT_EQ(content(cache().snapshot("c") / std::to_string(i)), text_of(i));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory()))
    EXPECT_TRUE(entry.path().extension().empty()) << entry.path();
}

}  // namespace
}  // namespace embd::hub
