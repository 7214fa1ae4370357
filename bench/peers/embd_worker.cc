// embd's side of peers.py: the same lines on stdin as workers.py answers, over the C++ library.
//
//   embd_worker MODEL f32|bf16|int8 THREADS

#include <embd/embd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: embd_worker MODEL f32|bf16|int8 THREADS\n";
    return 2;
  }
  embd::LoadOptions load;
  const std::string_view compute = argv[2];
  load.compute = compute == "int8"   ? embd::Compute::int8
                 : compute == "bf16" ? embd::Compute::bf16
                                     : embd::Compute::f32;
  const auto model = embd::Model::open(argv[1], load);
  if (!model) {
    std::cerr << model.error().message() << '\n';
    return 1;
  }
  embd::EncodeOptions options;
  options.threads = std::stoi(argv[3]);

  const auto encode = [&](std::span<const std::string_view> texts) {
    auto rows = model->encode(texts, options);
    if (!rows) {
      std::cerr << rows.error().message() << '\n';
      std::exit(1);
    }
    return *std::move(rows);
  };

  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, path, out;
    words >> command >> path >> out;
    const std::vector<std::string> lines = lines_of(path);
    const std::vector<std::string_view> texts(lines.begin(), lines.end());
    double answer = 0;
    if (command == "latency") {
      std::vector<double> seconds;
      for (const std::string_view& text : texts) {
        const auto start = Clock::now();
        encode({&text, 1});
        seconds.push_back(seconds_since(start));
      }
      std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
      answer = seconds[seconds.size() / 2];
    } else {
      const auto start = Clock::now();
      const embd::Matrix rows = encode(texts);
      answer = seconds_since(start);
      if (command == "vectors") {
        auto writer = embd::create_vectors(out, rows.cols());
        if (!writer || !(*writer)->append(rows, {}) || !(*writer)->finish()) return 1;
      }
    }
    std::cout << answer << std::endl;
  }
}
