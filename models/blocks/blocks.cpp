// SPDX-License-Identifier: MIT
#include "models/blocks/basic_stage.hpp"
#include "models/blocks/bottleneck_stage.hpp"
#include "models/blocks/convolution.hpp"
#include "models/blocks/dense.hpp"
#include "models/blocks/dense_stage.hpp"
#include "models/blocks/inception.hpp"
#include "models/blocks/norm.hpp"
#include "models/blocks/pool.hpp"
#include "models/blocks/repeat.hpp"
#include "models/blocks/sequence.hpp"
#include "models/blocks/transformer.hpp"

namespace paceline {

const Family<Block>& table_of(const Block*) {
  static const Family<Block> table{
      "block",
      {
          variant<Convolution, Block>("convolution",
                                      "a convolution, batch norm and ReLU; `kind` may be left out"),
          variant<MaxPool, Block>("max-pool", "the largest of each window"),
          variant<AveragePool, Block>("average-pool", "the mean of each window"),
          variant<GlobalAveragePool, Block>("global-average-pool", "the mean of each channel"),
          variant<BatchNormBlock, Block>("batch-norm", "batch norm and ReLU"),
          variant<LocalResponseNorm, Block>("local-response-norm", "across channels, as AlexNet"),
          variant<Relu, Block>("activation", "a ReLU by itself"),
          variant<FullyConnected, Block>("fully-connected", "a fully connected layer and ReLU"),
          variant<Dropout, Block>("dropout", "a share of the elements becomes zero"),
          variant<BottleneckStage, Block>("bottleneck-stage", "residual units of 1x1, 3x3, 1x1"),
          variant<BasicStage, Block>("basic-stage",
                                     "residual units of two 3x3, as CIFAR-10's and ResNet-18's"),
          variant<DenseStage, Block>("dense-stage", "units that add channels to their input"),
          variant<Inception, Block>("inception", "branches, joined channel by channel"),
          variant<Fork, Block>("fork", "branches within a branch, joined by its inception"),
          variant<Repeat, Block>("repeat", "blocks repeated several times"),
          variant<Embedding, Block>("embedding", "a vector of features for each token id"),
          variant<Lstm, Block>("lstm", "LSTM layers over a sequence"),
          variant<Seq2Seq, Block>("seq2seq", "an encoder and a decoder of LSTM layers"),
          variant<PositionEmbedding, Block>("position-embedding", "a vector for each position"),
          variant<Transformer, Block>("transformer", "layers of attention and of two products"),
          variant<LayerNorm, Block>("layer-norm", "over the features of a position"),
          variant<PositionLinear, Block>("linear", "the same product at each position"),
          variant<Gelu, Block>("gelu", "a GELU by itself"),
          variant<FirstPositions, Block>("first-positions", "the first positions of a sequence"),
          variant<Classifier, Block>("classifier", "to the classes, softmax and cross-entropy"),
      }};
  return table;
}

}  // namespace paceline
