#include <embd/embd.h>

#include <iostream>

int main(int argc, char** argv) {
  const auto model = embd::Model::open(argc > 1 ? argv[1] : "missing.weights");
  if (!model) {
    std::cout << model.error().message() << '\n';
    return argc > 1 ? 1 : 0;
  }
  const auto row = model->encode("A cat sits.");
  std::cout << (row ? row->size() : 0) << '\n';
}
