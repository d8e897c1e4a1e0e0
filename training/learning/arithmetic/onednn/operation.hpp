// SPDX-License-Identifier: MIT
/// \file
/// One layer's arithmetic in oneDNN, and the tensors that it is connected to. Tensors are stored
/// item by item, row by row, pixel by pixel, with the channels of a pixel side by side ("nhwc"):
/// convolutions of any number of channels are fast that way, and concat copies contiguous runs.
/// Only the code in this folder includes this file.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "models/network.hpp"
#include "training/workload/random/dropout_mask.hpp"

namespace paceline {

/// The oneDNN objects that one worker's operations share.
class Workbench {
 public:
  Workbench();
  const dnnl::engine& engine() const { return engine_; }
  /// Attributes for every primitive: they take scratch memory from this workbench, because oneDNN's
  /// own belongs to the thread that made the primitive.
  const dnnl::primitive_attr& attributes() const { return attributes_; }
  /// Scratch memory for one primitive, shared with all others.
  dnnl::memory scratchpad(const dnnl::memory::desc& desc);
  void run(const dnnl::primitive& primitive,
           const std::unordered_map<int, dnnl::memory>& arguments) {
    primitive.execute(stream_, arguments);
  }
  void wait() { stream_.wait(); }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive_attr attributes_;
  dnnl::memory shared_;
  std::vector<dnnl::memory> scratchpads_;
};

/// One input of an operation.
struct InputTensors {
  dnnl::memory value;
  dnnl::memory gradient;  ///< empty: no layer below has parameters
  dnnl::memory landing;   ///< where backward writes; see ArrayPlan::Input
  bool adds = false;      ///< `landing` must be added to `gradient`

  /// Completes `gradient` after backward has written `landing`.
  void land() const;
};

/// The layer and the tensors from which an operation is made.
struct Wiring {
  const Layer& layer;
  int batch;
  std::vector<InputTensors> inputs;
  dnnl::memory value;
  dnnl::memory gradient;
  int index = 0;                                        ///< of the layer, for dropout
  const std::optional<DropoutDraw>* dropout = nullptr;  ///< the mini-batch's draw
  /// By item: its own positions; null: all have the layer's.
  const std::vector<int>* lengths = nullptr;
};

/// One layer of one worker. `weights` and `gradient` are the layer's own slices.
class LayerOperation {
 public:
  virtual ~LayerOperation() = default;
  virtual void forward(const float* weights) = 0;
  virtual void backward(const float* weights, float* gradient) = 0;
};

/// The operation of a layer of any kind but a loss and synthetic. Throws dnnl::error
/// where oneDNN refuses the layer.
std::unique_ptr<LayerOperation> make_operation(Workbench& bench, const Wiring& wiring);

/// The tensor of `batch` items of one shape, as all operations here lay it out.
dnnl::memory::desc tensor_of(int batch, Shape shape);
/// The numbers of a memory that holds floats only.
float* floats(const dnnl::memory& memory);
std::size_t count_floats(const dnnl::memory& memory);
/// Points `memory` at weights. oneDNN's interface takes no const pointer, but only reads them.
void point_at(dnnl::memory& memory, const float* weights);

/// Copies weights between the flat layout and the layout that a primitive chose.
class Repacking {
 public:
  /// From `flat` to `packed` if `into_packed`, else from `packed` to `flat`.
  Repacking(Workbench& bench, const dnnl::memory::desc& flat, const dnnl::memory::desc& packed,
            bool into_packed);
  /// The memory to pass to the primitive.
  const dnnl::memory& packed() const { return packed_; }
  /// Chooses the flat array. Where the layouts agree, the primitive works on it directly.
  void point(const float* flat);
  /// Copies in the chosen direction; does nothing where the layouts agree.
  void run(Workbench& bench);

 private:
  bool same_;
  dnnl::memory flat_, packed_;
  dnnl::primitive reorder_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace paceline
