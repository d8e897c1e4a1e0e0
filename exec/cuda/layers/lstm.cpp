// SPDX-License-Identifier: MIT
// One LSTM layer by cuDNN, with initial states of zero. cuDNN keeps the weights in its own memory,
// which forward fills and backward reads again, and requires sequences as [batch][time][channel]:
// tensors in nchw ([batch][channel][time]) are transposed.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "exec/cuda/kernels/accumulate.hpp"
#include "exec/cuda/kernels/cast.hpp"
#include "exec/cuda/kernels/transpose.hpp"
#include "exec/cuda/layers/cudnn_descriptors.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/scratch.hpp"
#include "exec/cuda/layers/toolbox.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

constexpr int kGates =
    4;  // input, forget, cell candidate, output: the order of cuDNN and of our weights

/// Contiguous weights and their place in cuDNN's weight space, in bytes.
struct Piece {
  std::size_t offset = 0;
  std::size_t cudnn_offset = 0;
  std::size_t bytes = 0;
};

/// Adds a piece, or extends the last one if the new one continues it in both places.
void append(std::vector<Piece>& pieces, const Piece& piece) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    if (last.offset + last.bytes == piece.offset &&
        last.cudnn_offset + last.bytes == piece.cudnn_offset) {
      last.bytes += piece.bytes;
      return;
    }
  }
  pieces.push_back(piece);
}

class Lstm final : public Operation {
 public:
  Lstm(const Toolbox& tools, const Wiring& wiring)
      : cudnn_(tools.cudnn()),
        wiring_(wiring),
        input_(wiring.inputs.front()),
        element_(wiring.output.element),
        transposes_(wiring.output.layout == Layout::nchw) {
    describe(tools.stream());
    find_weights(tools.stream());
    reserve_ = DeviceMemory(reserve_bytes_);
    lay_scratch();
  }

  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  void lend(void* scratch, std::size_t /*bytes*/) override { scratch_ = scratch; }

  void forward(cudaStream_t stream) override {
    const Parameters& parameters = wiring_.parameters;
    for (const Piece& piece : matrices_) {
      copy(at(weights_.data(), piece.cudnn_offset), at(parameters.matrix, piece.offset),
           piece.bytes, stream);
    }
    for (const Piece& piece : biases_) {
      narrow(parameters.vectors + piece.offset / sizeof(float),
             at(weights_.data(), piece.cudnn_offset), element_, count_of(piece), stream);
    }
    const void* x = sequence_of(input_.value, x_at_, stream);
    void* y = transposes_ ? at(scratch_, y_at_) : wiring_.output.data;
    check(cudnnRNNForward(cudnn_, layer_.get(), CUDNN_FWD_MODE_TRAINING, lengths_.as<int>(),
                          xs_.get(), x, ys_.get(), y, state_.get(), nullptr, nullptr, state_.get(),
                          nullptr, nullptr, weights_.bytes(), weights_.data(), workspace_bytes_,
                          at(scratch_, workspace_at_), reserve_bytes_, reserve_.data()),
          "computing an LSTM");
    if (transposes_) turn_back(y, wiring_.output, false, stream);
  }

  void backward(cudaStream_t stream) override {
    const void* x = sequence_of(input_.value, x_at_, stream);
    const void* y = sequence_of(wiring_.output, y_at_, stream);
    const void* dy = sequence_of(wiring_.gradient, dy_at_, stream);
    const bool direct = input_.gradient && !transposes_ && !input_.adds;
    void* dx = direct ? input_.gradient.data : at(scratch_, dx_at_);
    // the weights' gradient needs the values that this call leaves in the reserve space
    check(cudnnRNNBackwardData_v8(cudnn_, layer_.get(), lengths_.as<int>(), ys_.get(), y, dy,
                                  xs_.get(), dx, state_.get(), nullptr, nullptr, nullptr,
                                  state_.get(), nullptr, nullptr, nullptr, weights_.bytes(),
                                  weights_.data(), workspace_bytes_, at(scratch_, workspace_at_),
                                  reserve_bytes_, reserve_.data()),
          "computing the gradient of an LSTM's input");
    if (input_.gradient && !direct) land(dx, stream);
    find_weight_gradients(x, y, stream);
  }

 private:
  int batch() const { return wiring_.output.batch; }
  int steps() const { return wiring_.layer->in.height; }
  int inputs() const { return wiring_.layer->in.channels; }
  int units() const { return wiring_.layer->out.channels; }
  std::int64_t count_of(const Piece& piece) const {
    return static_cast<std::int64_t>(piece.bytes / sizeof(float));
  }
  static void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copying for an LSTM");
  }

  void describe(cudaStream_t stream) {
    const cudnnDataType_t type = data_type_of(element_);
    // without dropout, and so without a state for its draws
    check(cudnnSetDropoutDescriptor(dropout_.get(), cudnn_, 0, nullptr, 0, 0),
          "describing an LSTM");
    check(cudnnSetRNNDescriptor_v8(layer_.get(), CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
                                   CUDNN_RNN_SINGLE_INP_BIAS, CUDNN_UNIDIRECTIONAL,
                                   CUDNN_LINEAR_INPUT, type, CUDNN_DATA_FLOAT,
                                   recurrent_math_of(wiring_.precision), inputs(), units(), units(),
                                   1, dropout_.get(), CUDNN_RNN_PADDED_IO_ENABLED),
          "describing an LSTM");
    const std::vector<int> lengths(static_cast<std::size_t>(batch()), steps());
    lengths_ = DeviceMemory(lengths.size() * sizeof(int));
    copy(lengths_.data(), lengths.data(), lengths_.bytes(), stream);
    check(cudaStreamSynchronize(stream), "copying the lengths of sequences");
    float padding = 0;  // unused: all sequences have the same length
    const auto describe_sequences = [&](const SequenceDescriptor& sequences, int channels) {
      check(cudnnSetRNNDataDescriptor(sequences.get(), type,
                                      CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, steps(), batch(),
                                      channels, lengths.data(), &padding),
            "describing sequences");
    };
    describe_sequences(xs_, inputs());
    describe_sequences(ys_, units());
    const std::array<int, 3> sizes{1, batch(), units()};
    const std::array<int, 3> strides{batch() * units(), units(), 1};
    check(cudnnSetTensorNdDescriptor(state_.get(), type, 3, sizes.data(), strides.data()),
          "describing an LSTM's state");
    check(cudnnGetRNNTempSpaceSizes(cudnn_, layer_.get(), CUDNN_FWD_MODE_TRAINING, xs_.get(),
                                    &workspace_bytes_, &reserve_bytes_),
          "querying an LSTM's memory");
  }

  /// Finds the place of each gate's matrix and bias in cuDNN's weight space.
  void find_weights(cudaStream_t stream) {
    std::size_t bytes = 0;
    check(cudnnGetRNNWeightSpaceSize(cudnn_, layer_.get(), &bytes), "querying an LSTM's memory");
    weights_ = DeviceMemory(bytes);
    check(cudaMemsetAsync(weights_.data(), 0, bytes, stream), "clearing an LSTM's weights");
    const TensorDescriptor matrix_shape, bias_shape;
    const auto element_bytes = static_cast<std::size_t>(bytes_of(element_));
    const auto gate_units = static_cast<std::size_t>(units());
    std::size_t offset = 0;
    for (int gate = 0; gate < 2 * kGates;
         ++gate) {  // the recurrent matrices follow those of the input
      void* matrix = nullptr;
      void* bias = nullptr;
      check(cudnnGetRNNWeightParams(cudnn_, layer_.get(), 0, bytes, weights_.data(), gate,
                                    matrix_shape.get(), &matrix, bias_shape.get(), &bias),
            "finding an LSTM's weights");
      const int width = gate < kGates ? inputs() : units();
      const std::size_t size = element_bytes * gate_units * static_cast<std::size_t>(width);
      append(matrices_, {offset, offset_of(matrix), size});
      offset += size;
      if (gate >= kGates) continue;  // our only bias belongs to the input
      const std::size_t bias_bytes = sizeof(float) * gate_units;  // in our layout
      biases_.push_back({static_cast<std::size_t>(gate) * bias_bytes, offset_of(bias), bias_bytes});
    }
  }
  std::size_t offset_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - weights_.as<char>());
  }

  /// Divides scratch memory: cuDNN's workspace, the weights' gradient, the input's gradient if it
  /// is not needed or is not written in place, and transposed sequences.
  void lay_scratch() {
    const auto take = [this](std::size_t bytes) {
      const std::size_t begin = scratch_bytes_;
      scratch_bytes_ += aligned(bytes);
      return begin;
    };
    const auto input_bytes = static_cast<std::size_t>(input_.value.bytes());
    const auto output_bytes = static_cast<std::size_t>(wiring_.output.bytes());
    workspace_at_ = take(workspace_bytes_);
    weight_gradients_at_ = take(weights_.bytes());
    dx_at_ = take(input_bytes);
    if (!transposes_) return;
    x_at_ = take(input_bytes);
    y_at_ = take(output_bytes);
    dy_at_ = take(output_bytes);
  }

  /// The tensor as sequences; transposed to scratch memory if it is in nchw.
  const void* sequence_of(const Tensor& tensor, std::size_t place, cudaStream_t stream) const {
    if (!transposes_) return tensor.data;
    void* sequences = at(scratch_, place);
    transpose(tensor.data, sequences, element_, batch(), tensor.shape.channels, steps(), false,
              stream);
    return sequences;
  }
  void turn_back(const void* sequences, const Tensor& tensor, bool adds,
                 cudaStream_t stream) const {
    transpose(sequences, tensor.data, element_, batch(), steps(), tensor.shape.channels, adds,
              stream);
  }
  void land(const void* dx, cudaStream_t stream) const {
    if (transposes_) {
      turn_back(dx, input_.gradient, input_.adds, stream);
    } else {
      accumulate(dx, input_.gradient.data, element_, input_.gradient.elements(), stream);
    }
  }

  void find_weight_gradients(const void* x, const void* y, cudaStream_t stream) {
    void* space = at(scratch_, weight_gradients_at_);
    // cuDNN can only add to them
    check(cudaMemsetAsync(space, 0, weights_.bytes(), stream), "clearing gradients");
    check(cudnnRNNBackwardWeights_v8(cudnn_, layer_.get(), CUDNN_WGRAD_MODE_ADD, lengths_.as<int>(),
                                     xs_.get(), x, state_.get(), nullptr, ys_.get(), y,
                                     weights_.bytes(), space, workspace_bytes_,
                                     at(scratch_, workspace_at_), reserve_bytes_, reserve_.data()),
          "computing the gradient of an LSTM's weights");
    const Parameters& parameters = wiring_.parameters;
    for (const Piece& piece : matrices_) {
      copy(at(parameters.matrix_gradient, piece.offset), at(space, piece.cudnn_offset), piece.bytes,
           stream);
    }
    for (const Piece& piece : biases_) {
      widen(at(space, piece.cudnn_offset), element_,
            parameters.vector_gradients + piece.offset / sizeof(float), count_of(piece), stream);
    }
  }

  const cudnnHandle_t cudnn_;
  const Wiring wiring_;
  const Input input_;
  const Element element_;
  const bool transposes_;
  const DropoutDescriptor dropout_;
  const RecurrentDescriptor layer_;
  const SequenceDescriptor xs_, ys_;
  const TensorDescriptor state_;
  std::vector<Piece> matrices_, biases_;
  DeviceMemory lengths_;  ///< sequence lengths; cuDNN before 8.9.1 reads them on the device
  DeviceMemory weights_;  ///< cuDNN's weight space, filled by forward
  DeviceMemory reserve_;  ///< kept from forward to backward
  std::size_t workspace_bytes_ = 0, reserve_bytes_ = 0;
  std::size_t workspace_at_ = 0, weight_gradients_at_ = 0;
  std::size_t x_at_ = 0, dx_at_ = 0, y_at_ = 0, dy_at_ = 0;
  std::size_t scratch_bytes_ = 0;
  void* scratch_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_lstm(Toolbox& tools, const Wiring& wiring) {
  return std::make_unique<Lstm>(tools, wiring);
}

}  // namespace paceline::cuda
