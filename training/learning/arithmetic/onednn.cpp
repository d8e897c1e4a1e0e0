// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/onednn.hpp"

#include <stdexcept>

#include "training/learning/arithmetic/onednn/array_plan.hpp"
#include "training/learning/arithmetic/onednn/operation.hpp"
#include "training/learning/arithmetic/single_thread.hpp"
#include "training/learning/losses/loss.hpp"
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {
namespace {

/// Allocates arrays of `sizes` floats for each item of a batch.
std::vector<dnnl::memory> allocate(const Workbench& bench, const std::vector<std::int64_t>& sizes,
                                   int batch) {
  std::vector<dnnl::memory> arrays;
  for (const std::int64_t size : sizes) {
    const dnnl::memory::desc desc({batch * size}, dnnl::memory::data_type::f32,
                                  dnnl::memory::format_tag::x);
    arrays.emplace_back(desc, bench.engine());
  }
  return arrays;
}

class Convolutional final : public Arithmetic {
 public:
  Convolutional(const Network& network, int batch, bool uneven)
      : input_(network.input),
        uneven_(uneven),
        batch_(batch),
        offsets_(network.parameter_offsets()),
        loss_(make_loss(network.layers.back(), batch)) {
    const SingleThread only_this;
    const ArrayPlan plan = plan_arrays(network);
    values_ = allocate(bench_, plan.value_sizes, batch);
    gradients_ = allocate(bench_, plan.gradient_sizes, batch);
    operations_.resize(network.layers.size());
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      if (plan.steps[i].value == ArrayPlan::kNone) continue;
      const Layer& layer = network.layers[i];
      try {
        operations_[i] = make_operation(bench_, wire(network, plan, i));
      } catch (const dnnl::error& error) {
        throw std::runtime_error("no real arithmetic for " + network.name + ": layer '" +
                                 layer.name + "': oneDNN: " + error.what());
      }
    }
    share_table(network);
    logits_ = view_as(values_, plan.steps.back().inputs.front().value, network.layers.back().in);
    logits_gradient_ =
        view_as(gradients_, plan.steps.back().inputs.front().gradient, network.layers.back().in);
    prepare_load();
  }

  void draw_dropout(const std::optional<DropoutDraw>& draw) override { draw_ = draw; }

  void set_lengths(std::span<const int> lengths) override {
    if (!uneven_ || lengths.size() != static_cast<std::size_t>(batch_)) {
      throw std::invalid_argument("not a length for each item");
    }
    lengths_.assign(lengths.begin(), lengths.end());
  }

  void load(std::span<const float> inputs, std::span<const float> targets) override {
    if (inputs.size() != count_floats(given_)) throw std::invalid_argument("not a batch of inputs");
    const SingleThread only_this;
    loss_->load(targets);
    point_at(given_, inputs.data());
    bench_.run(load_, load_arguments_);
    bench_.wait();
  }

  void forward(int layer, std::span<const float> weights) override {
    const auto i = static_cast<std::size_t>(layer);
    const SingleThread only_this;
    if (i + 1 == operations_.size()) {
      loss_->forward({floats(logits_), count_floats(logits_)});
    } else if (operations_[i]) {
      operations_[i]->forward(weights.data() + offset_of(i));
      bench_.wait();
    }
  }

  void backward(int layer, std::span<const float> weights, std::span<float> gradient) override {
    const auto i = static_cast<std::size_t>(layer);
    const SingleThread only_this;
    if (i + 1 == operations_.size()) {
      if (logits_gradient_) loss_->backward({floats(logits_gradient_), count_floats(logits_)});
    } else if (operations_[i]) {
      const bool shares = i == tied_;
      float* const mine = shares ? of_table_.data() : gradient.data() + offsets_[i];
      operations_[i]->backward(weights.data() + offset_of(i), mine);
      bench_.wait();
      // the table's own layer comes last, and writes the gradient of both
      if (i == table_) accumulate({mine, of_table_.size()}, of_table_);
    }
  }

  double loss() const override { return loss_->loss(); }
  double accuracy() const override { return loss_->accuracy(); }

 private:
  /// The layer that multiplies by the table of the first embedding, if there is one.
  void share_table(const Network& network) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      if (network.layers[i].tied == 0) continue;
      tied_ = i;
      table_ = static_cast<std::size_t>(network.first_embedding());
      of_table_.resize(static_cast<std::size_t>(network.layers[i].tied));
    }
  }
  std::size_t offset_of(std::size_t layer) const {
    return static_cast<std::size_t>(offsets_[layer == tied_ ? table_ : layer]);
  }

  /// An array of the plan as a tensor of `shape`; empty for kNone.
  dnnl::memory view_as(const std::vector<dnnl::memory>& arrays, int index, Shape shape) const {
    if (index == ArrayPlan::kNone) return {};
    return {tensor_of(batch_, shape), bench_.engine(),
            arrays[static_cast<std::size_t>(index)].get_data_handle()};
  }

  Wiring wire(const Network& network, const ArrayPlan& plan, std::size_t i) const {
    const Layer& layer = network.layers[i];
    const ArrayPlan::Step& step = plan.steps[i];
    std::vector<InputTensors> inputs;
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      const ArrayPlan::Input& input = step.inputs[k];
      const int maker = layer.inputs[k];
      const Shape shape =
          maker < 0 ? network.input : network.layers[static_cast<std::size_t>(maker)].out;
      inputs.push_back({view_as(values_, input.value, shape),
                        view_as(gradients_, input.gradient, shape),
                        view_as(gradients_, input.landing, shape), input.adds});
    }
    return {layer,
            batch_,
            std::move(inputs),
            view_as(values_, step.value, layer.out),
            view_as(gradients_, step.gradient, layer.out),
            static_cast<int>(i),
            &draw_,
            uneven_ ? &lengths_ : nullptr};
  }

  /// Prepares the conversion of the given inputs into the first array.
  void prepare_load() {
    given_ = dnnl::memory({{batch_, input_.channels, input_.height, input_.width},
                           dnnl::memory::data_type::f32,
                           dnnl::memory::format_tag::nchw},
                          bench_.engine(), DNNL_MEMORY_NONE);
    const dnnl::memory inputs = view_as(values_, 0, input_);
    const dnnl::reorder::primitive_desc reorder(given_, inputs, bench_.attributes());
    load_ = dnnl::reorder(reorder);
    load_arguments_ = {{DNNL_ARG_FROM, given_},
                       {DNNL_ARG_TO, inputs},
                       {DNNL_ARG_SCRATCHPAD, bench_.scratchpad(reorder.scratchpad_desc())}};
  }

  Workbench bench_;
  Shape input_;
  bool uneven_;
  int batch_;
  std::vector<std::int64_t> offsets_;
  std::vector<dnnl::memory> values_, gradients_;             ///< by the indices of the plan
  std::vector<std::unique_ptr<LayerOperation>> operations_;  ///< null: the loss
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t tied_ = kNone, table_ = kNone;
  std::vector<float> of_table_;  ///< its gradient by the tied layer
  dnnl::memory given_, logits_, logits_gradient_;
  dnnl::primitive load_;
  std::unordered_map<int, dnnl::memory> load_arguments_;
  std::optional<DropoutDraw> draw_;
  std::vector<int> lengths_;  ///< by item, where they are unequal
  std::unique_ptr<Loss> loss_;
};

}  // namespace

std::unique_ptr<Arithmetic> make_convolutional(const Network& network, int batch, bool uneven) {
  return std::make_unique<Convolutional>(network, batch, uneven);
}

}  // namespace paceline
