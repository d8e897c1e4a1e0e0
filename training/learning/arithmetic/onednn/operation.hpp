// SPDX-License-Identifier: MIT
/// \file
/// One layer's arithmetic in oneDNN, and what it is wired to. Tensors lie item after item, row
/// after row, pixel after pixel, the channels of a pixel side by side ("nhwc"): convolutions of any
/// number of channels are fast that way, and concat copies runs of memory. Only code beside this
/// file includes it.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "models/network.hpp"
#include "training/random/dropout_mask.hpp"

namespace paceline {

/// What one worker's operations share.
class Workbench {
 public:
  Workbench();
  const dnnl::engine& engine() const { return engine_; }
  /// Attributes for every primitive: its scratch memory is lent by this workbench, as oneDNN's own
  /// belongs to the thread that made the primitive.
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
  std::vector<dnnl::memory> lent_;
};

/// One input of an operation.
struct InputTensors {
  dnnl::memory value;
  dnnl::memory gradient;  ///< empty: nobody below learns
  dnnl::memory landing;   ///< where backward writes; see ArrayPlan::Input
  bool adds = false;      ///< `landing` is to be added to `gradient`

  /// What is left to do once backward has written `landing`.
  void land() const;
};

/// What an operation is made of.
struct Wiring {
  const Layer& layer;
  int batch;
  std::vector<InputTensors> inputs;
  dnnl::memory value;
  dnnl::memory gradient;
  int index = 0;                                        ///< of the layer, for dropout
  const std::optional<DropoutDraw>* dropout = nullptr;  ///< what dropout keeps, of the mini-batch
};

/// One layer of one worker. `weights` and `gradient` are the layer's own slices.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual void forward(const float* weights) = 0;
  virtual void backward(const float* weights, float* gradient) = 0;
};

/// The operation of a layer of any kind but a loss and synthetic. Throws dnnl::error
/// where oneDNN refuses the layer.
std::unique_ptr<Operation> make_operation(Workbench& bench, const Wiring& wiring);

/// The tensor of `batch` items of one shape, as all operations here lay it out.
dnnl::memory::desc tensor_of(int batch, Shape shape);
/// The numbers of a memory that holds nothing but floats.
float* floats(const dnnl::memory& memory);
std::size_t count_floats(const dnnl::memory& memory);
/// Points `memory` at weights; oneDNN's interface does not know constants, but reads only.
void point_at(dnnl::memory& memory, const float* weights);

/// Weights as users lay them out against the layout that a primitive asked for.
class Repacking {
 public:
  /// Between the flat layout `flat` and `packed`; `into_packed` is the direction.
  Repacking(Workbench& bench, const dnnl::memory::desc& flat, const dnnl::memory::desc& packed,
            bool into_packed);
  /// What the primitive takes as its argument.
  const dnnl::memory& packed() const { return packed_; }
  /// Chooses the flat array. Without a difference in layout the primitive works on it directly.
  void point(const float* flat);
  /// Copies in the direction given; nothing to do where the layouts agree.
  void run(Workbench& bench);

 private:
  bool same_;
  dnnl::memory flat_, packed_;
  dnnl::primitive reorder_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace paceline
