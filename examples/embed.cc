// Similarity of two sentences:  embed MODEL.weights "A cat sits." "Ein Satz."
#include <embd/embd.h>

#include <iostream>
#include <numeric>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto model = embd::Model::open(argv[1]);
  if (!model) {
    std::cerr << model.error().message() << '\n';
    return 1;
  }
  const std::vector<std::string_view> texts = {argv[2], argv[3]};
  const auto rows = model->encode(texts);
  if (!rows) {
    std::cerr << rows.error().message() << '\n';
    return 1;
  }
  const auto a = rows->row(0), b = rows->row(1);
  std::cout << std::inner_product(a.begin(), a.end(), b.begin(), 0.0F) << '\n';
}
