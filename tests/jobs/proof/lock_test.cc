#include "embd/lock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/cross_encoder.h"
#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class Lock : public test::TemporaryDirectory {
 protected:
  const std::filesystem::path model_ = std::filesystem::path(EMBD_TEST_DATA) / "embd/plain.weights";
  std::filesystem::path lock() const { return path("embd.lock"); }
};

class LockOf : public Lock, public ::testing::WithParamInterface<Compute> {};

TEST_P(LockOf, ChecksOnTheMachineThatMadeIt) {
  const auto locked = lock_model(model_, lock(), {.compute = GetParam()});
  ASSERT_TRUE(locked) << locked.error().message();
  const auto checked = check_lock(lock());
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(checked->compute, GetParam());
  EXPECT_TRUE(checked->differing.empty());
  EXPECT_GT(checked->probes.size(), 5U);
}

INSTANTIATE_TEST_SUITE_P(Arithmetic, LockOf,
                         ::testing::Values(Compute::f32, Compute::bf16, Compute::int8),
                         [](const auto& of) { return std::string(compute_name(of.param)); });

TEST_F(Lock, FindsAnotherVector) {
  ASSERT_TRUE(lock_model(model_, lock(), {.probes = {"a cat", "a dog"}}));
  std::ifstream in(lock());
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t hash = text.find("\"sha256\"");
  for (std::size_t at = text.find("[\n", hash); at != std::string::npos;
       at = text.find("[\n", at + 1)) {
    char& digit = text[text.find('"', at) + 1];
    digit = digit == '0' ? '1' : '0';
  }
  std::ofstream(lock()) << text;
  const auto checked = check_lock(lock(), {.model = model_});
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(checked->differing, std::vector<std::size_t>{0});
}

TEST_F(Lock, MovesTogetherWithItsModel) {
  std::filesystem::create_directories(path("a/models"));
  std::filesystem::copy_file(model_, path("a/models/m.weights"));
  ASSERT_TRUE(lock_model(path("a/models/m.weights"), path("a/embd.lock"), {.probes = {"a cat"}}));
  std::filesystem::rename(path("a"), path("b"));
  const auto checked = check_lock(path("b/embd.lock"));
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_TRUE(checked->differing.empty());
}

TEST_F(Lock, OfOptionsChecksWithThem) {
  LockOptions options = {.probes = {"a cat sits on the mat"}};
  options.encode.max_length = 4;
  options.encode.pooling = Pooling::max;
  ASSERT_TRUE(lock_model(model_, lock(), options));
  EXPECT_TRUE(check_lock(lock())->differing.empty());
}

TEST_F(Lock, AnotherModelIsRefusedUnlessForced) {
  ASSERT_TRUE(lock_model(model_, lock(), {.probes = {"a cat"}}));
  const std::filesystem::path other = model_.parent_path() / "pooling_cls.weights";
  const auto refused = check_lock(lock(), {.model = other});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::recipe_mismatch);
  EXPECT_NE(refused.error().message().find("model_sha256"), std::string::npos);
  EXPECT_TRUE(check_lock(lock(), {.model = other, .force = true}));
}

TEST_F(Lock, WithoutHashesOfAnArithmeticSaysWhichItHas) {
  ASSERT_TRUE(lock_model(model_, lock(), {.probes = {"a cat"}}));
  std::string text = test::content(lock());
  // As in a lock file of a build before int8 had blocks.
  text.replace(text.find("\"int8-blocks\""), 13, "\"int8\"");
  test::write_file(lock(), text);
  const auto refused = check_lock(lock(), {.compute = Compute::int8});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::missing);
  EXPECT_NE(
      refused.error().message().find("for the arithmetic int8-blocks, only for bf16, f32, int8"),
      std::string::npos);
  EXPECT_TRUE(check_lock(lock(), {.compute = Compute::bf16}));
}

TEST_F(Lock, OfVectorsIsNoLockOfACrossEncoder) {
  ASSERT_TRUE(lock_model(model_, lock(), {.probes = {"a cat"}}));
  test::make_cross_encoder("bert_saved_by_6", path("pairs"));
  const auto refused = check_lock(lock(), {.model = path("pairs")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::recipe_mismatch);
  EXPECT_NE(refused.error().message().find("is a cross-encoder"), std::string::npos)
      << refused.error().message();
}

TEST_F(Lock, IsNotWrittenOverTheModel) {
  std::filesystem::copy_file(model_, path("m.weights"));
  const std::string before = test::content(path("m.weights"));
  EXPECT_EQ(lock_model(path("m.weights"), path("m.weights")).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(test::content(path("m.weights")), before);
}

TEST_F(Lock, OfTheReferenceKernelsIsRefused) {
  ASSERT_EQ(::setenv("EMBD_KERNELS", "reference", 1), 0);
  const auto refused = lock_model(model_, lock(), {.probes = {"a cat"}});
  ::unsetenv("EMBD_KERNELS");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(lock()));
}

TEST_F(Lock, OfACrossEncoderIsOfItsLogits) {
  test::make_cross_encoder("bert_saved_by_6", path("pairs"));
  ASSERT_TRUE(lock_model(path("pairs"), lock(), {.probes = {"a cat", "a dog", "how much"}}));
  const auto checked = check_lock(lock());
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_TRUE(checked->differing.empty());
  EXPECT_EQ(checked->probes.size(), 3U);
  EXPECT_TRUE(check_lock(lock(), {.compute = Compute::int8, .threads = 2})->differing.empty());

  // A probe is in two pairs.
  std::string text = test::content(lock());
  text.replace(text.find("a dog"), 5, "a fox");
  test::write_file(lock(), text);
  EXPECT_EQ(check_lock(lock())->differing, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(check_lock(lock(), {.model = model_}).error().code(), ErrorCode::recipe_mismatch);

  LockOptions of_vectors = {.probes = {"a cat"}};
  of_vectors.encode.pooling = Pooling::max;
  EXPECT_EQ(lock_model(path("pairs"), lock(), of_vectors).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(Lock, WhatIsNotThereIsAnError) {
  EXPECT_EQ(check_lock(path("none")).error().code(), ErrorCode::not_found);
  EXPECT_FALSE(lock_model(path("none"), lock()));
  EXPECT_FALSE(lock_model(model_, path("none/embd.lock"), {.probes = {"a cat"}}));
}

}  // namespace
}  // namespace embd
