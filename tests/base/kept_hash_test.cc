#include "base/kept_hash.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "base/os/file_status.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string true_hash(const fs::path& path) {
  return sha256_hex(as_bytes(content_of(path)));
}

FileDescriptor open_to(const fs::path& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC));
}

class KeptHash : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    test::TemporaryDirectory::SetUp();
    model_ = path("model");
    record_ = path("cache/embd/hashes");
    write("model", "what is hashed");
    if (!stamp_of(open_to(model_, O_RDONLY)))
      GTEST_SKIP() << "the file system of " << model_ << " does not note every change";
  }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static void wait_until_at_rest(const fs::path& file) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_at_rest(open_to(file, O_RDONLY)) && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(is_at_rest(open_to(file, O_RDONLY)));
  }
  /// Asks, and says whether the file was hashed. The answer must be right.
  bool hashes(const fs::path& file) const {
    bool made = false;
    const auto make = [&] {
      made = true;
      return true_hash(file);
    };
    EXPECT_EQ(kept_hash(record_, open_to(file, O_RDONLY), make), true_hash(file));
    return made;
  }
  bool hashes() const { return hashes(model_); }
  void keep() const {
    wait_until_at_rest(model_);
    ASSERT_TRUE(hashes());
    ASSERT_FALSE(hashes());
  }

  fs::path model_;
  fs::path record_;
};

TEST_F(KeptHash, IsMadeOnce) {
  keep();
  EXPECT_EQ(fs::status(record_).permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(record_.parent_path()).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(record_.parent_path().parent_path()).permissions(), fs::perms(0700));
}

/// A model may consist of more than the file.
TEST_F(KeptHash, BelongsToWhateverElseItDependsOn) {
  keep();
  const auto with = [&](std::string_view also, const std::string& hash) {
    return kept_hash(record_, open_to(model_, O_RDONLY), [&] { return hash; }, also);
  };
  const std::string first(64, '1');
  const std::string second(64, '2');
  EXPECT_EQ(with("vocabulary", first), first);
  EXPECT_EQ(with("vocabulary", second), first);
  EXPECT_EQ(with("another", second), second);
  EXPECT_FALSE(hashes());
}

TEST_F(KeptHash, OfAFreshFileIsNotKept) {
  EXPECT_TRUE(hashes());
  EXPECT_FALSE(fs::exists(record_));
  EXPECT_TRUE(hashes());
  keep();
}

TEST_F(KeptHash, ChangeInPlaceIsSeenWhereSizeAndTimesAreAsBefore) {
  keep();
  struct stat before = {};
  ASSERT_EQ(::stat(model_.c_str(), &before), 0);
  ASSERT_EQ(::pwrite(open_to(model_, O_WRONLY).get(), "W", 1, 0), 1);
  const std::array times = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, model_.c_str(), times.data(), 0), 0);
  struct stat after = {};
  ASSERT_EQ(::stat(model_.c_str(), &after), 0);
  ASSERT_EQ(after.st_size, before.st_size);
  ASSERT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(hashes()) << "kept though it has just changed";
}

TEST_F(KeptHash, ChangeThroughAMapIsSeen) {
  keep();
  void* map =
      ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, open_to(model_, O_RDWR).get(), 0);
  ASSERT_NE(map, MAP_FAILED);
  EXPECT_FALSE(hashes()) << "nothing is changed yet";
  *static_cast<volatile char*>(map) = 'W';
  EXPECT_TRUE(hashes());
  ::munmap(map, 1);
}

TEST_F(KeptHash, ReplacedFileIsAnother) {
  const auto other = write("other", "WHAT is hashed");
  keep();
  struct stat status = {};
  ASSERT_EQ(::stat(model_.c_str(), &status), 0);
  const std::array times = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, other.c_str(), times.data(), 0), 0);
  fs::rename(other, model_);
  EXPECT_TRUE(hashes());
}

TEST_F(KeptHash, OfAFileThatSomebodyMayBeWritingIsNotKept) {
  wait_until_at_rest(model_);
  {
    const FileDescriptor writer = open_to(model_, O_RDWR);
    EXPECT_TRUE(hashes());
    EXPECT_FALSE(fs::exists(record_));
  }
  void* map =
      ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, open_to(model_, O_RDWR).get(), 0);
  ASSERT_NE(map, MAP_FAILED);
  EXPECT_TRUE(hashes());
  EXPECT_FALSE(fs::exists(record_));
  ::munmap(map, 1);
  keep();
}

TEST_F(KeptHash, OfAFileThatChangesMeanwhileIsNotKept) {
  wait_until_at_rest(model_);
  kept_hash(record_, open_to(model_, O_RDONLY), [&] {
    std::string hash = true_hash(model_);
    write("model", "another");
    return hash;
  });
  EXPECT_FALSE(fs::exists(record_));
}

TEST_F(KeptHash, DamagedRecordIsMadeAgain) {
  keep();
  const std::string good = content_of(record_);
  std::vector<std::string> damaged = {"", "\n", "\n\n\n", std::string(1 << 16, 'x'), good + good};
  damaged.back()[0] ^= 1;
  for (std::size_t size = 0; size + 1 < good.size(); size += 7)
    damaged.push_back(good.substr(0, size));
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {
    damaged.push_back(good);
    damaged.back()[at] ^= 1;
  }
  for (const std::string& content : damaged) {
    const bool holds_good_line = content.find(good) != std::string::npos;
    std::ofstream(record_, std::ios::binary) << content;
    EXPECT_EQ(hashes(), !holds_good_line) << content;
    EXPECT_FALSE(hashes()) << content;
  }
}

TEST_F(KeptHash, OfAnotherStartOfTheSystemDoesNotCount) {
  keep();
  std::string stamp = stamp_of(open_to(model_, O_RDONLY)).value();
  const auto record = [&] {
    const std::string line = stamp + ' ' + std::string(64, 'a');
    return line + ' ' + sha256_hex(as_bytes(line)) + '\n';
  };
  std::ofstream(record_) << record();
  EXPECT_EQ(kept_hash(record_, open_to(model_, O_RDONLY), [] { return ""; }), std::string(64, 'a'))
      << "the line is none that counts at all";
  stamp[0] = stamp[0] == '0' ? '1' : '0';
  std::ofstream(record_) << record();
  EXPECT_TRUE(hashes());
}

TEST_F(KeptHash, RecordThatOthersMayWriteDoesNotCount) {
  keep();
  const fs::path folder = record_.parent_path();
  for (const auto mode : {0620, 0602}) {
    fs::permissions(record_, fs::perms(mode));
    EXPECT_TRUE(hashes());
    EXPECT_FALSE(hashes()) << "not replaced by one that counts";
    EXPECT_EQ(fs::status(record_).permissions(), fs::perms(0600));
  }
  for (const auto mode : {0720, 0702}) {
    fs::permissions(folder, fs::perms(mode));
    EXPECT_TRUE(hashes());
    EXPECT_TRUE(hashes());
  }
  fs::permissions(folder, fs::perms(0755));
  EXPECT_FALSE(hashes());
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(record_.c_str(), 1, 1), 0);
  EXPECT_TRUE(hashes());
  EXPECT_FALSE(hashes());
  ASSERT_EQ(::chown(folder.c_str(), 1, 1), 0);
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(hashes());
}

TEST_F(KeptHash, LinksAreNotFollowed) {
  keep();
  const fs::path folder = record_.parent_path();
  fs::rename(record_, path("elsewhere"));
  fs::create_symlink(path("elsewhere"), record_);
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(record_)));
  EXPECT_FALSE(hashes());
  fs::rename(folder, path("folder"));
  fs::create_directory_symlink(path("folder"), folder);
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(hashes());
}

TEST_F(KeptHash, WhereNothingCanBeWrittenNothingIsKept) {
  wait_until_at_rest(model_);
  write("cache", "a file where the folder is to be");
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(hashes());
  EXPECT_EQ(content_of(path("cache")), "a file where the folder is to be");
  fs::remove(path("cache"));
  fs::create_directories(record_);  // A folder in the record's place.
  fs::permissions(record_.parent_path(), fs::perms(0700));
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(hashes());
  EXPECT_EQ(std::distance(fs::directory_iterator(record_.parent_path()), {}), 1);
}

TEST_F(KeptHash, FolderThatMayNotBeWrittenIsReadAlone) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  keep();
  const fs::path folder = record_.parent_path();
  fs::permissions(folder, fs::perms(0500));
  EXPECT_FALSE(hashes());
  write("model", "another");
  wait_until_at_rest(model_);
  EXPECT_TRUE(hashes());
  EXPECT_TRUE(hashes());
  fs::permissions(folder, fs::perms(0700));
  EXPECT_TRUE(hashes());
  EXPECT_FALSE(hashes());
}

TEST_F(KeptHash, TheLastThirtyTwoFilesAreKept) {
  std::vector<fs::path> files;
  for (int i = 0; i < 33; ++i) files.push_back(write(std::to_string(i), std::to_string(i)));
  wait_until_at_rest(files.back());
  for (const fs::path& file : files) EXPECT_TRUE(hashes(file));
  for (std::size_t i = 1; i < files.size(); ++i) EXPECT_FALSE(hashes(files[i])) << i;
  EXPECT_TRUE(hashes(files[0]));
}

TEST_F(KeptHash, WritersAtTheSameTimeDoNoHarm) {
  std::vector<fs::path> files;
  for (int i = 0; i < 4; ++i) files.push_back(write(std::to_string(i), std::to_string(i)));
  wait_until_at_rest(files.back());
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (const fs::path& file : files) {
      callers.emplace_back([&, file] {
        const std::string hash = true_hash(file);
        for (int i = 0; i < 300; ++i) {
          const auto found = kept_hash(record_, open_to(file, O_RDONLY), [&] { return hash; });
          if (found != hash) ++wrong;
          if (i % 3 == 0) ::unlink(record_.c_str());
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  for (const fs::path& file : files) hashes(file);
  for (const fs::path& file : files) EXPECT_FALSE(hashes(file));
  EXPECT_EQ(std::distance(fs::directory_iterator(record_.parent_path()), {}), 1);
}

}  // namespace
}  // namespace embd
