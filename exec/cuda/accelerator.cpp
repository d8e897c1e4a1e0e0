// SPDX-License-Identifier: MIT
#include "exec/cuda/accelerator.hpp"

#include <cstdlib>
#include <filesystem>

#include "exec/cuda/calibrate/gpu_steps.hpp"
#include "exec/cuda/clocks/clock_watch.hpp"
#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/cuda_roles.hpp"
#include "exec/cuda/executable.hpp"
#include "exec/cuda/facts.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/processes/joint_execution.hpp"
#include "experiments/language/failure.hpp"
#include "training/experiment/repeats.hpp"
#include "training/profile/profile.hpp"

namespace paceline::cuda {
namespace {

class CudaAccelerator final : public Accelerator {
 public:
  CudaAccelerator() {
    // before the first context: streams beyond the driver's 8 queues would wait for each other
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32",
           0);  // NOLINT(concurrency-mt-unsafe): the first call
    facts_ = read_facts();
  }

  const AcceleratorFacts& facts() const override { return facts_; }
  std::string not_executable(const ExperimentPoint& point, const Group* group) const override {
    const std::string why = cuda::not_executable(point, facts_, group != nullptr);
    return !why.empty() || group == nullptr ? why : not_executable_in(*group, point, facts_);
  }
  Measurement execute(const Setting& setting, bool keep_steps) override;
  Measurement execute_jointly(const Setting& setting, Group& group, bool keep_steps) override;
  std::string take_part_in(const Setting& setting, Group& group, bool traced) override;
  std::vector<CalibrationStep> calibration(const GpuCalibration& what, Profile& into) override;

 private:
  /// PCI address of the first GPU that the point uses; "" if there is no such GPU.
  std::string bus_of(const ExperimentPoint& point) const {
    const auto& devices = point.experiment.devices;
    const auto gpu = devices ? static_cast<std::size_t>(devices->gpu) : 0;
    return gpu < facts_.gpus.size() ? facts_.gpus[gpu].bus : "";
  }

  AcceleratorFacts facts_;
};

/// The folder for chosen algorithms, in the user's cache directory; empty if there is none.
std::filesystem::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::filesystem::path(cache) / "paceline";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::filesystem::path(home) / ".cache" / "paceline";
  }
  return {};
}

/// Makes devices usable again after a lost context; their memory is gone.
void reset_devices(std::size_t count) {
  for (std::size_t device = 0; device < count; ++device) {
    cudaSetDevice(static_cast<int>(device));
    cudaDeviceReset();
  }
}

Measurement CudaAccelerator::execute(const Setting& point_setting, bool keep_steps) {
  Measurement failed;
  try {
    Setting setting = point_setting;
    CudaExecution execution(setting, cache_folder());
    setting.counting.loss_bound = execution.loss_bound();
    failed.split = execution.split();
    ClockWatch clocks(open_nvml(bus_of(*point_setting.point)));
    clocks.pause(true);
    Measurement measured = measure_repeats(
        setting, keep_steps, [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
          Executed executed = execution.run(repeat, recorder, &clocks);
          status = executed.status;
          return executed.curve;
        });
    measured.split = execution.split();
    measured.clocks = clocks.stop_and_describe();
    return measured;
  } catch (const Error& error) {
    failed.status = std::string("failed: ") + error.what();
    if (error.lasting()) reset_devices(facts_.gpus.size());
  } catch (const std::exception& error) {
    failed.status = "failed: " + in_plain_words(error);
  }
  return failed;
}

/// Makes this process's devices usable again where a context is lost. Other processes have the
/// other devices.
void reset_lost_devices(const std::vector<int>& devices) {
  for (const int device : devices) {
    if (cudaSetDevice(device) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
      cudaDeviceReset();
    }
  }
}

Measurement CudaAccelerator::execute_jointly(const Setting& setting, Group& group,
                                             bool keep_steps) {
  Measurement failed;
  try {
    const std::vector<int> mine = gpus_of(setting.plan, group, facts_);
    ClockWatch clocks(
        open_nvml(mine.empty() ? "" : facts_.gpus[static_cast<std::size_t>(mine.front())].bus));
    clocks.pause(true);
    Measurement measured = paceline::execute_jointly(
        setting, group, keep_steps, own_roles_on_gpus(facts_, cache_folder(), &clocks));
    measured.clocks = clocks.stop_and_describe();
    return measured;
  } catch (const std::exception& error) {
    failed.status = "failed: " + in_plain_words(error);
  }
  reset_lost_devices(gpus_of(setting.plan, group, facts_));
  return failed;
}

std::string CudaAccelerator::take_part_in(const Setting& setting, Group& group, bool traced) {
  std::string problem;
  try {
    paceline::take_part_in(setting, group, traced, own_roles_on_gpus(facts_, cache_folder()));
  } catch (const std::exception& error) {
    problem = in_plain_words(error);
  }
  reset_lost_devices(gpus_of(setting.plan, group, facts_));
  return problem;
}

std::vector<CalibrationStep> CudaAccelerator::calibration(const GpuCalibration& what,
                                                          Profile& into) {
  const auto reset = [this] { reset_devices(facts_.gpus.size()); };
  return gpu_steps(facts_, what, cache_folder(), reset, into);
}

}  // namespace

std::unique_ptr<Accelerator> make_accelerator() {
  return std::make_unique<CudaAccelerator>();
}

}  // namespace paceline::cuda
