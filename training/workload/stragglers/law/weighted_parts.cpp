// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/law/weighted_parts.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace paceline {
namespace {

/// The least time in [low, high] at which `holds` is true, given that it stays true from there on;
/// `high` if it is true at no earlier time. Bisects over the representable doubles, so that 64
/// rounds end at two neighbours.
template <class Holds>
Seconds first_time(Seconds low, Seconds high, const Holds& holds) {
  if (holds(low)) return low;
  auto below = std::bit_cast<std::uint64_t>(low.value());  // in the order of doubles >= 0
  auto above = std::bit_cast<std::uint64_t>(high.value());
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    (holds(Seconds{std::bit_cast<double>(middle)}) ? above : below) = middle;
  }
  return Seconds{std::bit_cast<double>(above)};
}

}  // namespace

WeightedParts::WeightedParts(std::vector<WeightedPart> parts) : parts_(std::move(parts)) {
  assert(!parts_.empty());
  double sum = 0;
  for (const WeightedPart& part : parts_) sum += part.share;
  for (WeightedPart& part : parts_) part.share /= sum;
}

Seconds WeightedParts::quantile(double u) const {
  // The quantile lies between the least and the largest quantile of the parts.
  Seconds low{std::numeric_limits<double>::infinity()};
  Seconds high{0};
  for (const WeightedPart& part : parts_) {
    low = std::min(low, part.law->quantile(u));
    high = std::max(high, part.law->quantile(u));
  }
  return first_time(low, high, [this, u](Seconds time) { return cdf(time) >= u; });
}

Seconds WeightedParts::upper_quantile(double share) const {
  Seconds low{std::numeric_limits<double>::infinity()};
  Seconds high{0};
  for (const WeightedPart& part : parts_) {
    low = std::min(low, part.law->upper_quantile(share));
    high = std::max(high, part.law->upper_quantile(share));
  }
  return first_time(low, high, [this, share](Seconds time) { return survival(time) <= share; });
}

double WeightedParts::cdf(Seconds time) const {
  double sum = 0;
  for (const WeightedPart& part : parts_) sum += part.share * part.law->cdf(time);
  return std::min(sum, 1.0);
}

double WeightedParts::survival(Seconds time) const {
  double sum = 0;
  for (const WeightedPart& part : parts_) sum += part.share * part.law->survival(time);
  return std::min(sum, 1.0);
}

Seconds WeightedParts::mean() const {
  Seconds sum{0};
  for (const WeightedPart& part : parts_) sum += part.law->mean() * part.share;
  return sum;
}

double WeightedParts::cv() const {
  const Seconds all = mean();
  if (all == Seconds{0}) return 0;
  if (!std::isfinite(all.value())) return std::numeric_limits<double>::infinity();
  double variance = 0;  // / mean^2: within the parts, and between them
  for (const WeightedPart& part : parts_) {
    const double ratio = part.law->mean() / all;
    const double within = ratio > 0 ? part.law->cv() * ratio : 0;
    variance += part.share * (within * within + (ratio - 1) * (ratio - 1));
  }
  return std::sqrt(variance);
}

StragglerShape WeightedParts::shape() const {
  StragglerShape whole = parts_.front().law->shape();
  for (const WeightedPart& part : parts_) {
    const StragglerShape shape = part.law->shape();
    whole.low = std::min(whole.low, shape.low);
    whole.high = std::max(whole.high, shape.high);
    whole.index = std::min(whole.index, shape.index);
  }
  // A mixture of rising hazards may fall: the longer a draw takes, the more likely it is of a slow
  // part.
  if (parts_.size() > 1) whole.aging = Aging::neither;
  return whole;
}

std::vector<Seconds> WeightedParts::corners() const {
  std::vector<Seconds> all;
  for (const WeightedPart& part : parts_) {
    const StragglerShape shape = part.law->shape();
    all.push_back(shape.low);
    if (std::isfinite(shape.high.value())) all.push_back(shape.high);
    const std::vector<Seconds> own = part.law->corners();
    all.insert(all.end(), own.begin(), own.end());
    for (const double logit : {1.0, 3.0, 8.0, 20.0, 40.0}) {  // at the scale of this part
      const double share = 1 / (1 + std::exp(logit));
      all.push_back(part.law->quantile(share));
      all.push_back(part.law->upper_quantile(share));
    }
  }
  return all;
}

std::string WeightedParts::content() const {
  std::string all;
  for (const WeightedPart& part : parts_) {
    const std::string own = part.law->content();
    if (own.empty()) continue;
    all += own;
    all += ';';
  }
  return all;
}

const Straggler& WeightedParts::chosen(double u) const {
  for (const WeightedPart& part : parts_) {
    if (u < part.share) return *part.law;
    u -= part.share;
  }
  return *parts_.back().law;  // the shares add up to 1 but for rounding
}

bool check_part(const Choice<Straggler>& part, const std::string& whole,
                const std::vector<std::string>& refused, const Location& at,
                Diagnostics& diagnostics) {
  const auto is_refused = [&refused](const std::string& kind) {
    return std::find(refused.begin(), refused.end(), kind) != refused.end();
  };
  if (is_refused(part.kind())) {
    std::vector<std::string> allowed = family<Straggler>().names();
    std::erase_if(allowed, is_refused);
    diagnostics.error(at, "'" + part.kind() + "' cannot be part of '" + whole +
                              "' (allowed: " + join(allowed) + ")");
    return false;
  }
  const bool applies = part->applies != Applies::added;
  if (!applies && part->phase == Phase::forward) return true;
  diagnostics.error(at, std::string(applies ? "'applies'" : "'phase'") + " is for the whole '" +
                            whole + "', not for a part of it");
  return false;
}

}  // namespace paceline
