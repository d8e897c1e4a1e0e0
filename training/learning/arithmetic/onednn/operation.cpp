// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/onednn/operation.hpp"

#include <span>
#include <stdexcept>

#include "training/learning/arithmetic/onednn/operations.hpp"
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

Workbench::Workbench() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
  attributes_.set_scratchpad_mode(dnnl::scratchpad_mode::user);
}

dnnl::memory Workbench::scratchpad(const dnnl::memory::desc& desc) {
  const std::size_t have = shared_ ? shared_.get_desc().get_size() : 0;
  if (desc.get_size() > have) {
    shared_ = dnnl::memory(desc, engine_);
    for (dnnl::memory& view : scratchpads_) view.set_data_handle(shared_.get_data_handle());
  }
  scratchpads_.emplace_back(desc, engine_, shared_ ? shared_.get_data_handle() : DNNL_MEMORY_NONE);
  return scratchpads_.back();
}

void InputTensors::land() const {
  if (adds)
    accumulate({floats(gradient), count_floats(gradient)},
               {floats(landing), count_floats(landing)});
}

dnnl::memory::desc tensor_of(int batch, Shape shape) {
  return {{batch, shape.channels, shape.height, shape.width},
          dnnl::memory::data_type::f32,
          dnnl::memory::format_tag::nhwc};
}

float* floats(const dnnl::memory& memory) {
  return static_cast<float*>(memory.get_data_handle());
}

std::size_t count_floats(const dnnl::memory& memory) {
  return memory.get_desc().get_size() / sizeof(float);
}

void point_at(dnnl::memory& memory, const float* weights) {
  memory.set_data_handle(const_cast<float*>(weights));
}

Repacking::Repacking(Workbench& bench, const dnnl::memory::desc& flat,
                     const dnnl::memory::desc& packed, bool into_packed)
    : same_(flat == packed), flat_(flat, bench.engine(), DNNL_MEMORY_NONE) {
  if (same_) {
    packed_ = flat_;
    return;
  }
  packed_ = dnnl::memory(packed, bench.engine());
  const dnnl::memory& from = into_packed ? flat_ : packed_;
  const dnnl::memory& to = into_packed ? packed_ : flat_;
  const dnnl::reorder::primitive_desc reorder(from, to, bench.attributes());
  reorder_ = dnnl::reorder(reorder);
  arguments_ = {{DNNL_ARG_FROM, from},
                {DNNL_ARG_TO, to},
                {DNNL_ARG_SCRATCHPAD, bench.scratchpad(reorder.scratchpad_desc())}};
}

void Repacking::point(const float* flat) {
  point_at(flat_, flat);
}

void Repacking::run(Workbench& bench) {
  if (!same_) bench.run(reorder_, arguments_);
}

std::unique_ptr<LayerOperation> make_operation(Workbench& bench, const Wiring& wiring) {
  switch (wiring.layer.kind) {
    case LayerKind::convolution:
      return make_convolution(bench, wiring);
    case LayerKind::fully_connected:
      return make_fully_connected(bench, wiring);
    case LayerKind::batch_norm:
      return make_batch_norm(bench, wiring);
    case LayerKind::activation:
      return make_activation(bench, wiring);
    case LayerKind::average_pool:
      if (wiring.lengths != nullptr) return make_sequence_mean(wiring);
      return make_pooling(bench, wiring);
    case LayerKind::max_pool:
      return make_pooling(bench, wiring);
    case LayerKind::local_response_norm:
      return make_response_norm(bench, wiring);
    case LayerKind::add:
      return make_add(wiring);
    case LayerKind::concat:
      return make_concat(wiring);
    case LayerKind::pad:
      return make_pad(wiring);
    case LayerKind::embedding:
      return make_embedding(wiring);
    case LayerKind::lstm:
      return make_lstm(wiring);
    case LayerKind::dropout:
      return make_dropout(wiring);
    case LayerKind::position:
      return make_position(wiring);
    case LayerKind::layer_norm:
      return make_layer_norm(wiring);
    case LayerKind::gelu:
      return make_gelu(bench, wiring);
    case LayerKind::attention:
      return make_attention(wiring);
    case LayerKind::select:
      return make_select(wiring);
    case LayerKind::softmax:
    case LayerKind::squared_error:
    case LayerKind::synthetic:
      break;
  }
  throw std::runtime_error("no operation of its own");
}

}  // namespace paceline
