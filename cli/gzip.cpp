// SPDX-License-Identifier: MIT
#include "cli/gzip.hpp"

#include <array>
#include <limits>
#include <stdexcept>

#define ZLIB_CONST  // const input pointers
#include <zlib.h>

namespace paceline {
namespace {

constexpr std::size_t kPiece = 1 << 16;  // bytes per call of zlib
constexpr int kGzip = 15 + 16;           // the largest window, with gzip's header
constexpr int kMemory = 8;               // zlib's default

}  // namespace

struct GzipWriter::Stream {
  z_stream z{};
};

GzipWriter::GzipWriter() : stream_(std::make_unique<Stream>()) {
  if (deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("cannot compress: no memory");
  }
}

GzipWriter::~GzipWriter() {
  deflateEnd(&stream_->z);
}

void GzipWriter::deflate_all(int flush) {
  std::array<unsigned char, kPiece> piece;
  z_stream& z = stream_->z;
  do {
    z.next_out = piece.data();
    z.avail_out = static_cast<uInt>(piece.size());
    deflate(&z, flush);
    packed_.append(piece.begin(), piece.end() - z.avail_out);
  } while (z.avail_out == 0);
}

void GzipWriter::add(std::string_view text) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kMost);
    stream_->z.next_in = reinterpret_cast<const Bytef*>(part.data());
    stream_->z.avail_in = static_cast<uInt>(part.size());
    deflate_all(Z_NO_FLUSH);
    text.remove_prefix(part.size());
  }
}

std::string GzipWriter::finish() {
  stream_->z.avail_in = 0;
  deflate_all(Z_FINISH);
  return std::move(packed_);
}

std::optional<std::string> gunzip(std::string_view packed) {
  if (packed.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream z{};
  if (inflateInit2(&z, kGzip) != Z_OK) return std::nullopt;
  z.next_in = reinterpret_cast<const Bytef*>(packed.data());
  z.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<unsigned char, kPiece> piece;
  int state = Z_OK;
  while (state == Z_OK) {
    z.next_out = piece.data();
    z.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&z, Z_NO_FLUSH);
    text.append(piece.begin(), piece.end() - z.avail_out);
  }
  inflateEnd(&z);
  if (state != Z_STREAM_END) return std::nullopt;
  return text;
}

}  // namespace paceline
