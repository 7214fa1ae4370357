#include "formats/weights/huggingface/safetensors.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace embd::huggingface {
namespace {

std::string file_of(std::string_view header, std::size_t data_bytes) {
  ByteWriter writer;
  writer.u64(header.size());
  writer.text(header);
  writer.zeros(data_bytes);
  return std::string(as_text(writer.view()));
}

TEST(Safetensors, TensorsAreViewsInTheOrderOfTheData) {
  const std::string bytes = file_of(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})",
      24);
  const auto file = SafetensorsFile::from_bytes(as_bytes(bytes));
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->tensors().size(), 2U);
  EXPECT_EQ(file->tensors()[0].name, "a");
  EXPECT_FALSE(file->tensors()[0].is_float());
  const SourceTensor* b = file->find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->num_values(), 4U);
  EXPECT_EQ(b->data.size(), 16U);
  EXPECT_EQ(file->find("c"), nullptr);
}

TEST(Safetensors, ATensorHasPartsOneBelowTheOther) {
  const std::string bytes =
      file_of(R"({"qkv":{"dtype":"F32","shape":[6,2],"data_offsets":[0,48]}})", 48);
  const auto file = SafetensorsFile::from_bytes(as_bytes(bytes));
  ASSERT_TRUE(file) << file.error().message();
  const SourceTensor& whole = *file->find("qkv");
  const auto last = whole.part(2, 3);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->shape, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(last->data.data(), whole.data.data() + 32);
  EXPECT_EQ(last->data.size(), 16U);
  EXPECT_EQ(whole.part(0, 1)->data.size(), whole.data.size());
  EXPECT_EQ(whole.part(0, 4).error().code(), ErrorCode::tensor_wrong_shape);
}

TEST(Safetensors, HalvesBecomeFloats) {
  std::string bytes = file_of(
      R"({"h":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"w":{"dtype":"BF16","shape":[1],"data_offsets":[2,4]}})",
      0);
  bytes += std::string("\x00\x3c\x80\x3f", 4);
  const auto file = SafetensorsFile::from_bytes(as_bytes(bytes));
  ASSERT_TRUE(file) << file.error().message();
  for (const char* name : {"h", "w"}) {
    float value = 0;
    file->find(name)->to_floats({&value, 1});
    EXPECT_EQ(value, 1.0F) << name;
  }
}

struct Malformed {
  const char* name;
  std::string bytes;
  ErrorCode code;
};

class MalformedSafetensors : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSafetensors, IsRefused) {
  const auto file = SafetensorsFile::from_bytes(as_bytes(GetParam().bytes));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), GetParam().code) << file.error().message();
  EXPECT_TRUE(file.error().offset());
}

INSTANTIATE_TEST_SUITE_P(
    Files, MalformedSafetensors,
    testing::Values(
        Malformed{"empty", "", ErrorCode::file_too_short},
        Malformed{"no_header", std::string(8, '\x7f'), ErrorCode::bad_value},
        Malformed{"header_past_end", std::string("\x09\0\0\0\0\0\0\0{}", 10),
                  ErrorCode::file_too_short},
        Malformed{"no_json", file_of("{", 0), ErrorCode::bad_json},
        Malformed{"number_too_large", file_of(R"({"a":1e999})", 0), ErrorCode::bad_json},
        Malformed{"no_object", file_of("[]", 0), ErrorCode::bad_json},
        Malformed{
            "twice",
            file_of(
                R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                0),
            ErrorCode::duplicate},
        Malformed{"dtype", file_of(R"({"a":{"dtype":"F12","shape":[1],"data_offsets":[0,1]}})", 1),
                  ErrorCode::tensor_type},
        Malformed{"no_shape", file_of(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1),
                  ErrorCode::missing},
        Malformed{"negative",
                  file_of(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1),
                  ErrorCode::bad_value},
        Malformed{"past_end",
                  file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 1),
                  ErrorCode::tensor_out_of_bounds},
        Malformed{"backwards",
                  file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1),
                  ErrorCode::tensor_out_of_bounds},
        Malformed{
            "shape_wraps",
            file_of(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})",
                    0),
            ErrorCode::tensor_shape},
        Malformed{"shape_differs",
                  file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
                  ErrorCode::tensor_shape},
        Malformed{
            "overlap",
            file_of(
                R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                3),
            ErrorCode::tensors_overlap},
        Malformed{"gap", file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2),
                  ErrorCode::tensors_overlap},
        Malformed{"trailing",
                  file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 2),
                  ErrorCode::trailing_bytes}),
    [](const auto& test) { return test.param.name; });

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole = file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4);
  ASSERT_TRUE(SafetensorsFile::from_bytes(as_bytes(whole)));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(SafetensorsFile::from_bytes(as_bytes(whole).first(size))) << size;
}

}  // namespace
}  // namespace embd::huggingface
