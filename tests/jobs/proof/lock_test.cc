#include "embd/lock.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class Lock : public test::TemporaryDirectory {
 protected:
  const std::filesystem::path model_ = std::filesystem::path(EMBD_TEST_DATA) / "embd/plain.weights";
  std::filesystem::path lock() const { return path("embd.lock"); }
};

class LockOf : public Lock, public testing::WithParamInterface<Compute> {};

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
                         testing::Values(Compute::f32, Compute::bf16, Compute::int8),
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

}  // namespace
}  // namespace embd
