#include "engine/open_model.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(OpenModel, ASlowOpeningIsNoted) {
  EXPECT_FALSE(note_slow_opening(0.2));
  const auto note = note_slow_opening(2.44);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kind, NoteKind::slow_opening);
  EXPECT_TRUE(note->text.starts_with("it took 2.4 s")) << note->text;
}

TEST(OpenModel, AnOrdinaryFileHasNoNotes) {
  const auto model = Model::open(EMBD_TEST_DATA "/embd/plain.weights");
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_TRUE(model->notes().empty());
}

}  // namespace
}  // namespace embd
