#include "faces/server/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"

namespace embd::server {
namespace {

/// Returns true if `asked` is `name`, or `name` with ":latest" appended, as Ollama's clients name
/// models.
bool means(std::string_view asked, std::string_view name) {
  constexpr std::string_view latest = ":latest";
  if (asked == name) return true;
  return asked.ends_with(latest) && asked.substr(0, asked.size() - latest.size()) == name;
}

double work_of(const ModelSize& size) {
  return static_cast<double>(std::max<std::uint64_t>(1, size.multiplications_a_token()));
}

std::uint64_t weighted(std::uint64_t tokens, double weight) noexcept {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(tokens) * weight));
}

}  // namespace

std::uint64_t ServedModel::cost(std::uint64_t tokens) const noexcept {
  return weighted(tokens, weight);
}

Result<void> Models::add(Model model, std::string name) {
  if (!name.empty()) has_names_ = true;
  if (name.empty()) name = model.name();
  const auto same = [&](const auto& served) { return served->name == name; };
  if (std::ranges::any_of(models_, same)) {
    return fail(ErrorCode::invalid_argument,
                "two models have the name \"{}\", expected different names, because "
                "requests choose models by name",
                name);
  }
  const double work = work_of(model.size());
  const double weight = models_.empty() ? 1 : work / work_of(first().model.size());
  models_.push_back(std::make_unique<const ServedModel>(std::move(model), std::move(name), weight));
  return {};
}

void Models::set_reranker(Reranker reranker) {
  reranker_.emplace(std::move(reranker));
}

Result<void> Models::add_names(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (models_.size() > 1) {
    return fail(ErrorCode::invalid_argument,
                "the further name \"{}\" was given, but there are {} models: give further "
                "names for a single model only",
                names.front(), models_.size());
  }
  has_names_ = true;
  further_names_ = names;
  return {};
}

std::uint64_t Models::reranker_cost(std::uint64_t tokens) const noexcept {
  return models_.empty()
             ? tokens
             : weighted(tokens, work_of(reranker_->size()) / work_of(first().model.size()));
}

std::vector<Models::Name> Models::names() const {
  std::vector<Name> names;
  const auto add = [&](const std::string& name, const ServedModel* model) {
    if (std::ranges::find(names, name, &Name::name) == names.end()) names.push_back({name, model});
  };
  for (const auto& served : models_) add(served->name, served.get());
  if (models_.empty()) add(reranker_->name(), nullptr);
  for (const std::string& name : further_names_) add(name, models_.empty() ? nullptr : &first());
  if (reranker_) add(reranker_->name(), nullptr);
  return names;
}

std::unexpected<Failure> Models::unknown(std::string_view name) const {
  std::string known;
  for (const Name& served : names()) known += (known.empty() ? "" : ", ") + served.name;
  return refuse(Problem::unknown_model,
                fmt::format("the model \"{}\" is not served here, expected one of {}", name, known),
                "model");
}

Answerable<const ServedModel*> Models::find(const std::optional<std::string>& name) const {
  if (!name || takes_any_name()) return &first();
  for (const auto& served : models_)
    if (means(*name, served->name)) return served.get();
  const auto is_meant = [&](const std::string& further) { return means(*name, further); };
  if (std::ranges::any_of(further_names_, is_meant)) return &first();
  return unknown(*name);
}

Answerable<void> Models::check_reranker(const std::optional<std::string>& name) const {
  if (!name || !has_names_ || means(*name, reranker_->name())) return {};
  const auto is_meant = [&](const std::string& further) { return means(*name, further); };
  if (std::ranges::any_of(further_names_, is_meant)) return {};
  return unknown(*name);
}

Answerable<Models::Name> Models::named(const std::string& name) const {
  for (const Name& served : names())
    if (means(name, served.name)) return Name{name, served.model};
  if (takes_any_name()) return Name{name, models_.empty() ? nullptr : &first()};
  return unknown(name);
}

}  // namespace embd::server
