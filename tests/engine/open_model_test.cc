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

TEST(OpenModel, ABf16WithoutAnInstructionIsNoted) {
  const auto notes_of = [](const char* file, Compute compute) {
    ::setenv("EMBD_KERNELS", "portable", 1);
    const auto model =
        Model::open(std::filesystem::path(EMBD_TEST_DATA "/embd") / file, {.compute = compute});
    ::unsetenv("EMBD_KERNELS");
    return model.value().notes();
  };
  const std::vector<ModelNote> notes = notes_of("plain.weights", Compute::bf16);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].kind, NoteKind::slow_arithmetic);
  EXPECT_TRUE(notes[0].text.starts_with("bf16 is slower than f32 with the kernels portable"))
      << notes[0].text;
  EXPECT_TRUE(notes_of("plain.weights", Compute::f32).empty());
  EXPECT_TRUE(notes_of("plain.weights", Compute::int8).empty());
}

}  // namespace
}  // namespace embd
