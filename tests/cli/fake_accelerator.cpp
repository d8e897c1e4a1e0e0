// SPDX-License-Identifier: MIT
// A fake plug-in for the tests of the command line: it answers like a computer with GPUs. FAKE_GPUS
// selects the behaviour: "working", "other build", "no driver", "old card", or "throws away" (every
// point fails).
#include <cstdlib>
#include <string>

#include <dlfcn.h>

#include "exec/plugin/plugin.hpp"
#include "training/profile/profile.hpp"

namespace {

using namespace paceline;  // NOLINT(google-build-using-namespace): one file, nothing else

/// A copy named for CUDA 12 has a variable of its own.
std::string kind() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&kind), &self);
  const bool of_12 = std::string(self.dli_fname).ends_with(kCuda12Plugin);
  const char* kind = std::getenv(of_12 ? "FAKE_GPUS_12" : "FAKE_GPUS");
  return kind != nullptr ? kind : "working";
}

class FakeAccelerator final : public Accelerator {
 public:
  FakeAccelerator() {
    facts_.runtime = "13.0";
    facts_.cudnn = "9.19.0";
    facts_.nccl = "2.28.9";
    if (kind() == "no driver") {
      facts_.problem = "no NVIDIA driver on this computer";
      return;
    }
    const char* driver = std::getenv("FAKE_DRIVER");
    facts_.driver = driver != nullptr ? driver : "13.0";
    if (kind() == "old card") {
      facts_.problem = "GPU 0 is too old";
      return;
    }
    for (const char* bus : {"0000:0f:00.0", "0000:10:00.0"}) {
      facts_.gpus.push_back({"Tesla P100-SXM2-16GB", Bytes{16e9}, 56, bus});
    }
  }
  const AcceleratorFacts& facts() const override { return facts_; }
  std::string not_executable(const ExperimentPoint& point, const Group* group) const override {
    const int workers = point.experiment.workers;
    if (group != nullptr || point.experiment.devices || workers <= 2) return "";
    return std::to_string(workers) + " workers and 2 GPUs";
  }
  Measurement execute(const Setting& setting, bool) override {
    Measurement measured;
    if (kind() == "throws away") {
      measured.status = "failed: an illegal memory access on GPU 0";
      return measured;
    }
    // the figures depend on the point
    measured.iteration_mean = 0.25;
    measured.throughput = setting.point->experiment.batch * setting.plan.workers / 0.25;
    measured.updates = static_cast<double>(setting.plan.updates);
    if (setting.point->experiment.devices) measured.split = "streams (this plug-in cannot)";
    measured.clocks = "SM 1480 MHz";
    return measured;
  }
  Measurement execute_jointly(const Setting& setting, Group&, bool keep_steps) override {
    return execute(setting, keep_steps);
  }
  std::string take_part_in(const Setting&, Group&, bool) override { return ""; }
  /// GPUs with links of 10 GB/s, and networks with layers of 1 ms each.
  std::vector<CalibrationStep> calibration(const GpuCalibration& what, Profile& into) override {
    std::vector<CalibrationStep> steps;
    if (what.figures) {
      steps.push_back({"two made-up GPUs", [&into] {
                         measure_gpus(into);
                         return std::string();
                       }});
    }
    for (const TimedWorkload& one : what.networks) {
      steps.push_back({one.workload.network, [workload = one.workload, &into] {
                         if (kind() == "throws away") return std::string("out of memory on GPU 0");
                         measure_network(workload, into);
                         return std::string();
                       }});
    }
    return steps;
  }

 private:
  static void measure_gpus(Profile& into) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      GpuProfile measured;
      measured.name = "Tesla P100-SXM2-16GB";
      measured.preset = "p100-sxm2";
      measured.memory = Bytes{16e9};
      measured.sms = 56;
      measured.copy_bandwidth = BytesPerSecond{200e9};
      measured.decision_latency = Seconds{10e-6};
      into.gpus.push_back(measured);
    }
    for (const auto& [from, to] : {std::pair{"host", "gpu0"},
                                   {"gpu0", "host"},
                                   {"host", "gpu1"},
                                   {"gpu1", "host"},
                                   {"gpu0", "gpu1"},
                                   {"gpu1", "gpu0"}}) {
      LinkProfile link;
      link.from = from;
      link.to = to;
      link.latency = Seconds{10e-6};
      link.bandwidth = BytesPerSecond{10e9};
      link.sizes = {Bytes{1e3}, Bytes{1e8}};
      link.times = {Seconds{10.1e-6}, Seconds{10.01e-3}};
      into.links.push_back(link);
    }
  }

  static void measure_network(const Workload& workload, Profile& into) {
    NetworkProfile times(workload);
    times.sms = 56;
    times.forward.assign(workload.layers, Seconds{1e-3});
    times.backward.assign(workload.layers, Seconds{1e-3});
    times.update = times.reduce = times.copy = Seconds{1e-5};
    into.networks.push_back(times);
  }

  AcceleratorFacts facts_;
};

}  // namespace

// The program passes its build identity; this plug-in matches every build unless FAKE_GPUS is
// "other build".
extern "C" __attribute__((visibility("default"))) Accelerator* paceline_accelerator(
    const char* abi) {
  return abi == nullptr || kind() == "other build" ? nullptr : new FakeAccelerator;
}
