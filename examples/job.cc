// Embeds a file with resume, verifies what was written, and searches it:
//   job MODEL TEXTS VECTORS QUERY
#include <embd/embd.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto fail = [](const embd::Error& error) {
    std::cerr << error.message() << '\n';
    return 1;
  };
  const auto model = embd::Model::open(argv[1]);
  if (!model) return fail(model.error());

  embd::EmbedOptions options;
  options.resume = true;  // Run it again after a crash: finished rows are in VECTORS.journal.
  options.progress = [](const embd::EmbedProgress& now) {
    std::cerr << now.rows << " rows, " << now.tokens_per_second() << " tokens/s\n";
  };
  const auto report = embd::embed_file(*model, argv[2], {argv[3]}, {}, options);
  if (!report) return fail(report.error());

  const auto verified = embd::verify_file(*model, argv[3], argv[2]);
  if (!verified) return fail(verified.error());
  if (!verified->is_good()) return 5;

  const auto searcher = embd::Searcher::open(argv[3]);
  if (!searcher) return fail(searcher.error());
  const std::string_view query = argv[4];
  const auto hits = searcher->search(*model, {&query, 1}, 3);
  if (!hits) return fail(hits.error());
  for (const auto& [row, distance] : hits->front())
    std::cout << 1 - distance << ' ' << embd::id_text(searcher->ids(), row) << '\n';
  return 0;
}
