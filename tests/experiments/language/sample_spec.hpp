// SPDX-License-Identifier: MIT
/// \file
/// A made-up experiment with every kind of key that a description can have, shared by the tests of
/// this folder.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/family.hpp"

namespace paceline::sample {

enum class Precision { fp32, fp16, bf16 };

inline const std::array<EnumName<Precision>, 3>& enum_names(const Precision*) {
  static constexpr std::array<EnumName<Precision>, 3> kNames{
      {{"fp32", Precision::fp32}, {"fp16", Precision::fp16}, {"bf16", Precision::bf16}}};
  return kNames;
}

/// A family of variants with no key, with keys, and with parts of the family itself.
struct Delay {
  virtual ~Delay() = default;
};
const Family<Delay>& table_of(const Delay*);

struct NoDelay final : Delay {
  static void describe(Description<NoDelay>&) {}
};

struct Exponential final : Delay {
  Seconds mean;
  bool added = true;
  static void describe(Description<Exponential>& d) {
    d.required("mean", &Exponential::mean, "of the whole draw").above(Seconds{0});
    d.optional("added", &Exponential::added, "add it to the arithmetic");
  }
};

struct Mixture final : Delay {
  std::vector<Choice<Delay>> parts;
  std::vector<double> weights;
  static void describe(Description<Mixture>& d) {
    d.required("parts", &Mixture::parts, "the delays to choose from");
    d.required("weights", &Mixture::weights, "how often each is chosen");
  }
  std::string invalid() const {
    return parts.size() == weights.size() ? "" : "'parts' and 'weights' must be as many";
  }
};

inline const Family<Delay>& table_of(const Delay*) {
  static const Family<Delay> table{
      "delay",
      {variant<NoDelay, Delay>("none", "no delay"),
       variant<Exponential, Delay>("exponential", "memoryless delay with the given mean"),
       variant<Mixture, Delay>("mixture", "one of several delays")}};
  return table;
}

struct Update {
  virtual ~Update() = default;
};
const Family<Update>& table_of(const Update*);

struct Sync final : Update {
  static void describe(Description<Sync>&) {}
};

struct KAsync final : Update {
  CountOrShare k{1, 0};
  static void describe(Description<KAsync>& d) {
    d.optional("k", &KAsync::k, "gradients in an update");
  }
};

inline const Family<Update>& table_of(const Update*) {
  static const Family<Update> table{
      "update policy",
      {variant<Sync, Update>("sync", "one gradient of each learner"),
       variant<KAsync, Update>("k-async", "K gradients from different learners")}};
  return table;
}

struct Worker {
  double slowdown = 1;
  static void describe(Description<Worker>& d) {
    d.optional("slowdown", &Worker::slowdown, "multiplies arithmetic").at_least(1);
  }
};

struct Stragglers {
  Choice<Delay> compute{"none"};
  std::map<int, Worker> workers;
  static void describe(Description<Stragglers>& d) {
    d.optional("compute", &Stragglers::compute, "a delay before each step");
    d.optional("workers", &Stragglers::workers, "by worker");
  }
};

struct Link {
  BytesPerSecond bandwidth;
  Seconds latency;
  static void describe(Description<Link>& d) {
    d.required("bandwidth", &Link::bandwidth, "capacity each way").above(BytesPerSecond{0});
    d.optional("latency", &Link::latency, "time a message takes on top").at_least(Seconds{0});
  }
};

struct Spec {
  std::string name;
  std::string model;
  int workers = 1;
  std::int64_t samples = 0;
  std::uint64_t seed = 1;
  double rate = 0.1;
  bool overlap = false;
  Precision precision = Precision::fp32;
  Bytes bucket{26214400};
  Flops work{0};
  FlopsPerSecond speed{0};
  Percent share{1};
  Choice<Update> update{"sync"};
  Stragglers stragglers;
  std::vector<int> milestones;
  std::optional<Link> link;
  static void describe(Description<Spec>& d) {
    d.required("name", &Spec::name, "what results are called");
    d.required("model", &Spec::model, "a network");
    d.optional("workers", &Spec::workers, "learners").at_least(1).at_most(1024);
    d.optional("samples", &Spec::samples, "items in an epoch").at_least(0);
    d.optional("seed", &Spec::seed, "of every random draw");
    d.optional("rate", &Spec::rate, "learning rate").above(0).below(10);
    d.optional("overlap", &Spec::overlap, "send while backward goes on");
    d.optional("precision", &Spec::precision, "of the arithmetic");
    d.optional("bucket", &Spec::bucket, "sent at once").above(Bytes{0});
    d.optional("work", &Spec::work, "of a step");
    d.optional("speed", &Spec::speed, "of a device");
    d.optional("share", &Spec::share, "of the device");
    d.optional("update", &Spec::update, "when weights change");
    d.optional("stragglers", &Spec::stragglers, "what slows workers down");
    d.optional("milestones", &Spec::milestones, "epochs at which the rate falls");
    d.optional("link", &Spec::link, "the network");
  }
};

}  // namespace paceline::sample
