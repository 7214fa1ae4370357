#include "embd/collect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/file_descriptor.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/searcher.h"
#include "embd/split.h"
#include "embd/verify.h"
#include "jobs/collect/documents.h"
#include "jobs/sets/collection_record.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/stemmer.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using collection::FileEntry;
using test::content;
using test::write_file;

const Model& model() {
  static const Model opened =
      Model::open(fs::path(EMBD_TEST_DATA) / "families/distilbert_mean").value();
  return opened;
}

class CollectTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
    fs::create_directories(notes() / "deep");
  }

  fs::path notes() const { return path("notes").lexically_normal(); }
  fs::path folder() const { return path("notes.collection"); }

  /// Writes a document that was last changed long ago, so that its time tells changes.
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((notes() / name).parent_path());
    write_file(notes() / name, text);
    age(notes() / name);
  }
  static void age(const fs::path& file, int hours = 1000) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  Result<CollectReport> try_collect(const CollectOptions& options = {},
                                    std::vector<fs::path> roots = {}) const {
    if (roots.empty()) roots = {notes()};
    return collect(model(), roots, folder(), options);
  }
  CollectReport run(const CollectOptions& options = {}) const {
    auto report = try_collect(options);
    EXPECT_TRUE(report) << report.error().message();
    return report.value_or(CollectReport());
  }

  /// Returns the files that must be those of a new collection: passages and terms.
  static test::Files rows_of(const fs::path& folder) {
    const std::uint64_t generation = collection_info(folder).value().generation;
    test::Files files = test::files_in(collection::generation_folder(folder, generation));
    EXPECT_EQ(files.erase("files.parquet"), 1U);
    return files;
  }
  /// Checks that an updated collection has the bytes of a new one.
  void expect_as_new(const std::string& what, const CollectOptions& options = {}) const {
    const fs::path fresh = path("fresh.collection");
    fs::remove_all(fresh);
    const std::vector<fs::path> roots = {notes()};
    ASSERT_TRUE(collect(model(), roots, fresh, options)) << what;
    const test::Files updated = rows_of(folder());
    const test::Files made = rows_of(fresh);
    ASSERT_EQ(updated.size(), made.size()) << what;
    for (const auto& [name, bytes] : made)
      ASSERT_TRUE(updated.contains(name) && updated.at(name) == bytes) << what << ": " << name;
  }
};

/// The state of every file in a folder: nothing was written if it is the same.
std::map<std::string, std::pair<FileIdentity, std::int64_t>> states_in(const fs::path& folder) {
  std::map<std::string, std::pair<FileIdentity, std::int64_t>> states;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const FileStatus status = os::status_of(entry.path()).value();
    states[text_of_path(entry.path())] = {status.identity,
                                          collection::nanoseconds_of(status.changed)};
  }
  return states;
}

TEST_F(CollectTest, KeepsThePlacesOfPassages) {
  write("a.md", "# Cats\n\nA cat sits.\n\n## Mats\n\nThe mat is red.\n");
  write("deep/b.txt", "A dog runs.\n");
  const CollectReport report = run();
  EXPECT_EQ(report.files, 2U);
  EXPECT_EQ(report.new_files, 2U);
  EXPECT_EQ(report.passages, 3U);
  EXPECT_EQ(report.embedded, 3U);
  EXPECT_EQ(report.reused, 0U);
  EXPECT_EQ(report.generation, 1U);
  const Collection opened = Collection::open(folder()).value();
  EXPECT_EQ(opened.num_passages(), 3U);
  const PassagePlace place = opened.place(1).value();
  EXPECT_EQ(place.file, generic_text_of_path(notes() / "a.md"));
  EXPECT_EQ(place.path, fs::canonical(notes()) / "a.md");
  EXPECT_EQ(place.first_line, 5U);
  EXPECT_EQ(place.last_line, 7U);
  EXPECT_EQ(place.headings, (std::vector<std::string>{"Cats", "Mats"}));
  EXPECT_EQ(place.state, DocumentState::unchanged);
  EXPECT_EQ(opened.place(2).value().file, generic_text_of_path(notes() / "deep/b.txt"));
  EXPECT_EQ(opened.place(3).error().code(), ErrorCode::invalid_argument);

  write("a.md", "# Cats\n");
  fs::remove(notes() / "deep/b.txt");
  EXPECT_EQ(opened.place(1).value().state, DocumentState::changed);
  EXPECT_EQ(opened.place(2).value().state, DocumentState::gone);
}

TEST_F(CollectTest, IsSearchedAndVerified) {
  write("a.md", "# Cats\n\nA cat sits.\n\n## Errors\n\nThe error is E4711.\n");
  write("b.md", "# Dogs\n\nA dog runs.\n");
  run();
  const auto searcher = Searcher::open(folder());
  ASSERT_TRUE(searcher) << searcher.error().message();
  ASSERT_NE(searcher->terms(), nullptr);
  const std::vector<std::string_view> queries = {"E4711"};
  const Queries made = searcher->encode_queries(model(), queries).value();
  const FusedRows found = searcher->search_both(made, 1).value();
  EXPECT_EQ(id_text(searcher->ids(), found[0][0].row), generic_text_of_path(notes() / "a.md:5"));
  // Headings of the context are terms of a passage, too.
  const std::vector<std::string_view> context = {"cats"};
  EXPECT_EQ(searcher->search_terms(searcher->term_queries(context).value(), 9).value()[0].size(),
            2U);
  const auto texts = collection_texts(folder()).value();
  const Verification verified = verify_records(model(), folder(), *texts).value();
  EXPECT_TRUE(verified.is_good());
  EXPECT_EQ(verified.num_rows, 3U);

  // A searcher that is open keeps what it has.
  write("b.md", "# Birds\n");
  run();
  EXPECT_EQ(searcher->search_both(made, 1).value(), found);
  EXPECT_EQ(Searcher::open(folder())->info().num_rows, 3U);
}

TEST_F(CollectTest, WritesNothingIfNothingHasChanged) {
  for (int i = 0; i < 20; ++i) write(std::to_string(i) + ".md", "# Note " + std::to_string(i));
  run();
  const auto before = states_in(folder());
  const CollectReport report = run();
  EXPECT_EQ(states_in(folder()), before);
  EXPECT_EQ(report.files, 20U);
  EXPECT_EQ(report.passages, 20U);
  EXPECT_EQ(report.embedded, 0U);
  EXPECT_EQ(report.reused, 20U);
  EXPECT_EQ(report.new_files + report.changed_files + report.gone_files, 0U);
  EXPECT_EQ(report.generation, 1U);
  const std::vector<fs::path> none;
  ASSERT_TRUE(collect(model(), none, folder()));
  EXPECT_EQ(states_in(folder()), before);
}

TEST_F(CollectTest, RenewsTheTimesOfFilesThatHaveTheirBytes) {
  write("a.md", "# Cats");
  run();
  const test::Files rows = rows_of(folder());
  age(notes() / "a.md", 10);
  const CollectReport report = run();
  EXPECT_EQ(report.changed_files, 0U);
  EXPECT_EQ(report.generation, 1U);
  EXPECT_EQ(rows_of(folder()), rows);
  EXPECT_EQ(Collection::open(folder())->place(0)->state, DocumentState::unchanged);
  const auto before = states_in(folder());
  run();
  EXPECT_EQ(states_in(folder()), before);
}

TEST_F(CollectTest, TakesOverVectorsByTheirTexts) {
  write("a.md", "# Cats\n\nA cat sits.\n\n# Dogs\n\nA dog runs.\n");
  write("b.md", "# Birds\n\nA bird sings.\n");
  EXPECT_EQ(run().embedded, 3U);
  // Files that move, copies, lines before a passage, and front matter need no model.
  fs::rename(notes() / "b.md", notes() / "deep/b.md");
  EXPECT_EQ(run().embedded, 0U);
  expect_as_new("moved");
  write("c.md", content(notes() / "a.md"));
  EXPECT_EQ(run().embedded, 0U);
  expect_as_new("copied");
  write("deep/b.md", "---\ntitle: x\n---\n\n# Birds\n\nA bird sings.\n");
  EXPECT_EQ(run().embedded, 0U);
  EXPECT_EQ(Collection::open(folder())->place(4)->first_line, 5U);
  expect_as_new("front matter");
  write("a.md", "# Cats\n\nA cat sleeps.\n\n# Dogs\n\nA dog runs.\n");
  const CollectReport report = run();
  EXPECT_EQ(report.embedded, 1U);
  EXPECT_EQ(report.reused, 4U);
  EXPECT_EQ(report.changed_files, 1U);
  expect_as_new("changed");
}

/// Changes a folder at random, as a user does.
class Editor {
 public:
  Editor(fs::path folder, std::uint32_t seed) : folder_(std::move(folder)), random_(seed) {}

  std::string edit() {
    const std::vector<fs::path> files = all_files();
    if (files.size() < 4 || below(4) == 0) return "add " + add();
    const fs::path file = files[below(files.size())];
    switch (below(6)) {
      case 0:
        fs::remove(file);
        return "remove " + text_of_path(file);
      case 1:
        fs::rename(file, new_path());
        return "rename " + text_of_path(file);
      case 2:
        fs::last_write_time(file, fs::file_time_type::clock::now());
        return "touch " + text_of_path(file);
      case 3:
        write(file);
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(below(99)));
        return "back-date " + text_of_path(file);
      case 4:
        std::ofstream(file, std::ios::app) << "\n\nMore " << below(5) << ".\n";
        return "append to " + text_of_path(file);
      default:
        write(file);
        return "change " + text_of_path(file);
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  fs::path new_path() {
    constexpr const char* names[] = {"a", "b", "a.md", "a-b", "A", "z"};
    constexpr const char* extensions[] = {".md", ".txt", ".py"};
    fs::path path = folder_;
    for (std::size_t depth = below(3); depth > 0; --depth)
      path /= std::string("in-") + names[below(6)];
    fs::create_directories(path);
    return path / (names[below(6)] + std::to_string(below(5)) + extensions[below(3)]);
  }
  std::string add() {
    const fs::path path = new_path();
    write(path);
    return text_of_path(path);
  }
  void write(const fs::path& path) {
    constexpr const char* pieces[] = {"# Cats\n\n",       "A cat sits.\n",   "\n## Mats\n",
                                      "Red.\r\n\n",       "- one\n- two\n",  "\xff bytes\n",
                                      "```\ncode\n```\n", "---\nt: 1\n---\n"};
    std::ofstream file(path, std::ios::binary);
    for (std::size_t count = below(9); count > 0; --count) file << pieces[below(8)];
  }
  std::vector<fs::path> all_files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }

  fs::path folder_;
  std::mt19937 random_;
};

TEST_F(CollectTest, HasTheBytesOfANewCollectionAfterEachEdit) {
  Editor editor(notes(), 59);
  for (int i = 0; i < 6; ++i) editor.edit();
  for (int i = 0; i < 40; ++i) {
    const std::string what = editor.edit();
    run({.force = true});
    expect_as_new(what);
  }
}

TEST_F(CollectTest, NoticesChangesThatTheTimeOfAFileDoesNotTell) {
  write_file(notes() / "a.md", "# Cats");
  const auto time = fs::last_write_time(notes() / "a.md");
  run();
  write_file(notes() / "a.md", "# Dogs");
  fs::last_write_time(notes() / "a.md", time);
  EXPECT_EQ(run().changed_files, 1U) << "changed right after it was collected";
  age(notes() / "a.md");
  const auto old = fs::last_write_time(notes() / "a.md");
  run();
  write_file(notes() / "a.md", "# Bats");
  fs::last_write_time(notes() / "a.md", old);
  EXPECT_EQ(run().changed_files, 0U);
  EXPECT_EQ(run({.check_content = true}).changed_files, 1U);
}

TEST_F(CollectTest, ChangesNothingIfARootIsMissing) {
  write("a.md", "# Cats");
  run();
  const auto before = states_in(folder());
  fs::rename(notes(), path("away"));
  EXPECT_EQ(try_collect().error().code(), ErrorCode::not_found);
  const std::vector<fs::path> none;
  const auto failed = collect(model(), none, folder());
  EXPECT_EQ(failed.error().code(), ErrorCode::not_found);
  EXPECT_EQ(failed.error().file(), text_of_path(fs::absolute(notes())));
  EXPECT_EQ(states_in(folder()), before);
}

TEST_F(CollectTest, AsksBeforeMostFilesAreDropped) {
  for (int i = 0; i < 4; ++i) write(std::to_string(i) + ".md", "# Note " + std::to_string(i));
  run();
  fs::rename(notes() / "0.md", notes() / "deep/0.md");  // It is not lost.
  fs::remove(notes() / "1.md");
  fs::remove(notes() / "2.md");
  EXPECT_FALSE(run().is_refused);
  write("deep/1.md", "# Note 1");
  run();
  const auto before = states_in(folder());
  for (const char* name : {"3.md", "deep/0.md"}) fs::remove(notes() / name);
  const CollectReport refused = run();
  EXPECT_TRUE(refused.is_refused);
  EXPECT_EQ(refused.gone_files, 2U);
  EXPECT_EQ(states_in(folder()), before);
  EXPECT_EQ(run({.force = true}).passages, 1U);
  fs::remove(notes() / "deep/1.md");
  EXPECT_TRUE(run().is_refused);
  EXPECT_EQ(run({.force = true}).passages, 0U);
  EXPECT_EQ(Collection::open(folder())->num_passages(), 0U);
  EXPECT_EQ(Searcher::open(folder())->info().num_rows, 0U);
  write("a.md", "# Cats");
  EXPECT_EQ(run().passages, 1U);
  expect_as_new("from nothing");
}

TEST_F(CollectTest, TakesOverTheWorkOfAnInterruptedRun) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "# Note " + std::to_string(i) + "\n\nA cat.\n\n";
  write("a.md", text);
  std::stop_source stop;
  std::uint64_t num_done = 0;
  const CollectOptions options = {.threads = 1, .progress = [&](const EmbedProgress& progress) {
                                    num_done = progress.rows;
                                    stop.request_stop();
                                  }};
  const std::vector<fs::path> roots = {notes()};
  const auto stopped = collect(model(), roots, folder(), options, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
  EXPECT_FALSE(is_collection(folder()));
  ASSERT_GT(num_done, 0U);
  ASSERT_LT(num_done, 400U);
  const CollectReport report = run();
  EXPECT_EQ(report.embedded, 400 - num_done);
  EXPECT_EQ(report.passages, 400U);
  EXPECT_FALSE(fs::exists(folder() / "journal"));
  expect_as_new("interrupted");

  // A journal that is damaged is no obstacle.
  write("a.md", text + "# More\n");
  write_file(folder() / "journal", std::string(1000, 'x'));
  EXPECT_EQ(run().embedded, 1U);
  EXPECT_FALSE(fs::exists(folder() / "journal"));
}

TEST_F(CollectTest, ReplacesWhatAKilledRunHasLeft) {
  write("a.md", "# Cats");
  run();
  fs::create_directories(folder() / "2/terms");
  write_file(folder() / "2/passages.parquet", "unfinished");
  fs::create_directories(folder() / "2.embd-0.tmp");
  write("b.md", "# Dogs");
  EXPECT_EQ(run().generation, 2U);
  expect_as_new("killed");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder()))
    names.insert(text_of_path(entry.path().filename()));
  EXPECT_EQ(names, (std::set<std::string>{"2", "collection.json"}));
}

TEST_F(CollectTest, IsOpenedAgainIfAnUpdateRemovesItsFiles) {
  write("a.md", "# Cats");
  run();
  std::vector<std::uint64_t> generations;
  const auto open = [&](const CollectionInfo& info) -> Result<std::uint64_t> {
    generations.push_back(info.generation);
    if (generations.size() == 1) {
      write("b.md", "# Dogs");
      run();
    }
    return EMBD_TRY(open_vectors(collection::passages_in(folder(), info.generation)))
        ->info()
        .num_rows;
  };
  EXPECT_EQ(collection::with_generation<std::uint64_t>(folder(), open).value(), 2U);
  EXPECT_EQ(generations, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(CollectTest, HasOneWriter) {
  write("a.md", "# Cats");
  run();
  const auto lock = FileDescriptor::open(folder(), Opening::read_folder).value();
  ASSERT_TRUE(lock.try_lock());
  const auto second = try_collect();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::io_failed);
}

TEST_F(CollectTest, NeverLeadsOutOfARoot) {
  if (test::on_windows) GTEST_SKIP() << "no links on Windows";
  write("a.md", "# Cats");
  write_file(path("secret.md"), "# Secret");
  fs::create_symlink("../secret.md", notes() / "link.md");
  fs::create_directory_symlink("..", notes() / "up");
  fs::create_symlink("a.md", notes() / "inside.md");
  std::vector<std::string> skipped;
  const CollectReport report =
      run({.on_skip = [&](const Error& error) { skipped.emplace_back(error.file()); }});
  EXPECT_EQ(report.files, 2U);
  EXPECT_EQ(skipped, (std::vector<std::string>{text_of_path(fs::canonical(notes()) / "link.md")}));

  const std::vector<CollectionRoot> roots = {{"notes", "/srv/notes"}, {"", "/srv/all"}};
  EXPECT_EQ(collection::path_of("notes/deep/a.md", roots), "/srv/notes/deep/a.md");
  EXPECT_EQ(collection::path_of("notes", roots), "/srv/notes");
  EXPECT_EQ(collection::path_of("a.md", roots), "/srv/all/a.md");
  for (const char* name :
       {"notes/../a.md", "../a.md", "notes//etc/a.md", "/etc/a.md", "notes/b/.."})
    EXPECT_EQ(collection::path_of(name, roots), "") << name;
}

TEST_F(CollectTest, AddsRootsAndKeepsOthers) {
  write("a.md", "# Cats");
  fs::create_directories(path("mails"));
  write_file(path("mails/b.txt"), "A dog runs.");
  write_file(path("c.md"), "# Birds");
  run();
  EXPECT_EQ(try_collect({}, {path("mails")})->files, 2U);
  EXPECT_EQ(try_collect({}, {path("c.md"), notes() / "."})->files, 3U);
  EXPECT_EQ(run().files, 3U);
  EXPECT_EQ(collection_info(folder())->roots.size(), 3U);
  for (const fs::path& root : {notes() / "deep", directory()})
    EXPECT_EQ(try_collect({}, {root}).error().code(), ErrorCode::invalid_argument) << root;
  EXPECT_EQ(try_collect({}, {path("none")}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(run().files, 3U);
}

TEST_F(CollectTest, KeepsItsSettings) {
  std::string text = "# Cats\n\n";
  for (int i = 0; i < 60; ++i) text += "The cat sits on the red mat. ";
  write("a.md", text);
  const CollectReport small = run({.max_tokens = 32, .stemmer = Stemmer::none});
  EXPECT_GT(small.passages, 5U);
  EXPECT_EQ(run().generation, 1U);
  const CollectionInfo info = collection_info(folder()).value();
  EXPECT_EQ(info.max_tokens, 32U);
  EXPECT_EQ(info.stemmer, Stemmer::none);
  EXPECT_EQ(TermIndex::open(Collection::open(folder())->terms())->info().recipe.stemmer,
            Stemmer::none);
  const CollectReport stemmed = run({.stemmer = Stemmer::english});
  EXPECT_EQ(stemmed.embedded, 0U);
  EXPECT_EQ(stemmed.passages, small.passages);
  EXPECT_LT(run({.max_tokens = 256}).passages, small.passages);
  expect_as_new("settings");
  EXPECT_EQ(try_collect({.max_tokens = 8}).error().code(), ErrorCode::invalid_argument);
}

TEST_F(CollectTest, RefusesVectorsOfAnotherModel) {
  write("a.md", "# Cats");
  run();
  const auto before = states_in(folder());
  const Model other = Model::open(fs::path(EMBD_TEST_DATA) / "families/mpnet_mean").value();
  const std::vector<fs::path> roots = {notes()};
  EXPECT_EQ(collect(other, roots, folder()).error().code(), ErrorCode::recipe_mismatch);
  EXPECT_EQ(states_in(folder()), before);
  EXPECT_EQ(collect(other, roots, folder(), {.force = true})->embedded, 1U);
  EXPECT_EQ(run({.force = true}).embedded, 1U);
  expect_as_new("other model");
}

TEST_F(CollectTest, LeavesOutWhatIsNoText) {
  write("a.md", "# Cats");
  write("b.txt", std::string("a\0b", 3));
  write("c.md", "");
  write("d.txt", "bytes \xff that are no UTF-8");
  write("e.pdf", "%PDF-1.7");
  std::vector<std::string> skipped;
  const CollectOptions options = {.on_skip = [&](const Error& error) {
    skipped.push_back(text_of_path(path_of_text(error.file()).filename()));
  }};
  const CollectReport report = run(options);
  EXPECT_EQ(report.files, 4U);
  EXPECT_EQ(report.passages, 2U);
  EXPECT_EQ(std::set<std::string>(skipped.begin(), skipped.end()),
            (std::set<std::string>{"b.txt", "e.pdf"}));
  skipped.clear();
  run(options);
  EXPECT_EQ(skipped, std::vector<std::string>{"e.pdf"}) << "b.txt has not changed";
  EXPECT_EQ(Searcher::open(folder())->texts().value()[1], "bytes \uFFFD that are no UTF-8");
}

TEST_F(CollectTest, HasAnIndexFromANumberOfPassagesOn) {
  for (int i = 0; i < 60; ++i) write(fmt::format("{}.md", i), fmt::format("# Note {}\n", i * i));
  run({.index_rows = 61});
  const auto exact = Searcher::open(folder()).value();
  EXPECT_FALSE(exact.has_index());
  write("a.md", "# Cats\n");
  EXPECT_EQ(run().embedded, 1U) << "the number is kept";
  expect_as_new("an index came", {.index_rows = 61});
  const auto indexed = Searcher::open(folder()).value();
  EXPECT_EQ(indexed.index_kind(), IndexKind::hnsw);
  const std::array<std::string_view, 2> texts = {"cats", "note 25"};
  const RowHits found = indexed.search(model(), texts, 5).value();
  const RowHits all = indexed.search(model(), texts, 5, {.exact = true}).value();
  for (const RowHits& hits : {found, all}) {
    ASSERT_EQ(hits[0].size(), 5U);
    EXPECT_TRUE(id_text(indexed.ids(), hits[0][0].row).ends_with("notes/a.md:1"));
    EXPECT_EQ(hits[1][4].distance, all[1][4].distance);
  }
  const auto both = search_collection(folder()).value();
  EXPECT_TRUE(both.searcher.has_index());
  EXPECT_FALSE(Searcher::open(folder(), {.metric = Metric::l2sq})->has_index());
  for (int i = 0; i < 8; ++i) {
    write(fmt::format("{}.md", i), fmt::format("# Other {}\n", i));
    fs::remove(notes() / fmt::format("{}.md", 20 + i));
    write(fmt::format("more/{}.md", i), "# More\n");
    run();
    expect_as_new(fmt::format("edit {}", i), {.index_rows = 61});
  }
  run({.index_rows = 1000});
  EXPECT_FALSE(Searcher::open(folder())->has_index());
  expect_as_new("the index went", {.index_rows = 1000});
}

TEST_F(CollectTest, RefusesAnIndexOfOtherRows) {
  write("a.md", "# Cats\n");
  write("b.md", "# Dogs\n");
  run({.index_rows = 1});
  const std::uint64_t before = collection_info(folder())->generation;
  const std::string old = content(collection::index_in(folder(), before));
  write("c.md", "# Mats\n");
  run();
  write_file(collection::index_in(folder(), before + 1), old);
  EXPECT_EQ(Searcher::open(folder()).error().code(), ErrorCode::bad_count);
}

TEST_F(CollectTest, LeavesOutAFileThatIsRemovedBeforeItIsRead) {
  write("a.md", std::string("no text\0", 8));
  write("b.md", "# Cats\n");
  write("c.md", "# Dogs\n");
  const CollectOptions options = {.on_skip = [&](const Error&) { fs::remove(notes() / "c.md"); }};
  EXPECT_EQ(run(options).passages, 1U);
  EXPECT_EQ(run(options).gone_files, 0U);
  expect_as_new("a file was removed");
}

TEST_F(CollectTest, LeavesOtherFoldersAlone) {
  write("a.md", "# Cats");
  fs::create_directory(folder());
  write_file(folder() / "mine.txt", "mine");
  EXPECT_EQ(try_collect().error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(test::files_in(folder()), (test::Files{{"mine.txt", "mine"}}));
  fs::remove_all(folder());
  EXPECT_EQ(try_collect({}, {notes() / "deep"}).error().code(), ErrorCode::missing);
  const std::vector<fs::path> none;
  EXPECT_EQ(collect(model(), none, folder()).error().code(), ErrorCode::invalid_argument);
  EXPECT_FALSE(fs::exists(folder())) << "a run that fails leaves nothing";
}

TEST_F(CollectTest, RefusesDamagedRecords) {
  write("a.md", "# Cats");
  run();
  const fs::path record = folder() / "collection.json";
  const std::string good = content(record);
  const auto code_of = [&](const std::string& text) {
    write_file(record, text);
    return Collection::open(folder()).error().code();
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(code_of("{"), ErrorCode::bad_json);
  EXPECT_EQ(code_of("[]"), ErrorCode::missing);
  EXPECT_EQ(code_of(with("embd collection", "x")), ErrorCode::bad_magic);
  EXPECT_EQ(code_of(with("\"version\": 1", "\"version\": 2")), ErrorCode::unsupported_version);
  EXPECT_EQ(code_of(with("\"generation\": 1", "\"generation\": -1")), ErrorCode::bad_value);
  EXPECT_EQ(code_of(with("\"generation\": 1", "\"generation\": 7")), ErrorCode::not_found);
  EXPECT_EQ(code_of(with("english", "klingon")), ErrorCode::bad_value);
  EXPECT_EQ(code_of(with("\"path\": \"", "\"path\": \"below/")), ErrorCode::bad_value);
  write_file(record, good);
  EXPECT_TRUE(Collection::open(folder()));
}

TEST_F(CollectTest, RefusesDamagedFileTables) {
  write("a.md", "# Cats");
  run();
  const fs::path table = collection::files_in(folder(), 1);
  const std::vector<FileEntry> good = collection::read_file_table(table).value();
  ASSERT_EQ(good.size(), 1U);
  FileEntry next = good[0];
  next.name += "x";
  next.first_row = 1;
  const auto code_of = [&](const std::vector<FileEntry>& entries) {
    EXPECT_TRUE(collection::write_file_table(table, entries));
    return Collection::open(folder()).error().code();
  };
  EXPECT_EQ(code_of({next}), ErrorCode::bad_value);
  EXPECT_EQ(code_of({good[0], good[0]}), ErrorCode::bad_value);
  EXPECT_EQ(code_of({good[0], next}), ErrorCode::bad_count);
  EXPECT_EQ(code_of({}), ErrorCode::bad_count);
  fs::remove(table);
  EXPECT_EQ(Collection::open(folder()).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace embd
