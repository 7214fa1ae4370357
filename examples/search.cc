// The lines of a file nearest to a question:  search MODEL.weights FILE "What do cats eat?"
#include <embd/embd.h>

#include <fstream>
#include <iostream>

namespace {

embd::Result<void> search(const char* model_path, const char* file, std::string_view question) {
  std::vector<std::string> lines;
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) lines.push_back(line);

  const auto model = embd::Model::open(model_path);
  if (!model) return std::unexpected(model.error());
  const auto rows = model->encode(std::vector<std::string_view>(lines.begin(), lines.end()));
  if (!rows) return std::unexpected(rows.error());
  const auto index = embd::Index::build(*rows, {});
  if (!index) return std::unexpected(index.error());

  const auto query = model->encode(question);
  if (!query) return std::unexpected(query.error());
  const auto hits = index->search(*query, 3);
  if (!hits) return std::unexpected(hits.error());
  for (const embd::Hit& hit : *hits) std::cout << hit.distance << "  " << lines[hit.id] << '\n';
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto result = search(argv[1], argv[2], argv[3]);
  if (!result) std::cerr << result.error().message() << '\n';
  return result ? 0 : 1;
}
