// SPDX-License-Identifier: MIT
/// \file
/// One of several plain structs, as std::variant holds them, but with its number in front: that of
/// a small struct lies in the same cache line as the struct, however large the others are.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace paceline {

template <class First, class... Others>
class OneOf {
  template <class Kind>
  static constexpr bool kHolds =
      std::is_same_v<Kind, First> || (std::is_same_v<Kind, Others> || ...);
  static_assert((std::is_trivially_copyable_v<First> && ... &&
                 std::is_trivially_copyable_v<Others>),
                "a kind is plain");

 public:
  static constexpr std::size_t kKinds = 1 + sizeof...(Others);

  OneOf() : OneOf(First{}) {}
  template <class Kind>
    requires kHolds<Kind>
  OneOf(const Kind& kind)  // NOLINT(google-explicit-constructor): a variant
      : index_(number_of<Kind>()) {
    ::new (bytes_.data()) Kind(kind);  // member by member, as it was written
  }

  /// The place of the struct's type in the list.
  std::size_t index() const { return index_; }
  template <class Kind>
  static constexpr std::uint8_t number_of() {
    std::uint8_t number = 0;
    if constexpr (!std::is_same_v<Kind, First>) {
      number = 1;
      static_cast<void>(((std::is_same_v<Kind, Others> || (++number, false)) || ...));
    }
    return number;
  }
  /// Null where it holds another.
  template <class Kind>
  const Kind* as() const {
    static_assert(kHolds<Kind>, "no kind of this list");
    return index_ == number_of<Kind>() ? std::launder(reinterpret_cast<const Kind*>(bytes_.data()))
                                       : nullptr;
  }
  /// Calls `visit` with the struct and returns what it returns.
  template <class Visit>
  auto visit(const Visit& visit) const -> std::invoke_result_t<const Visit&, const First&> {
    return visit_from<Visit, First, Others...>(visit);
  }
  /// As an assignment; where the struct is small, no more of the memory than it needs is written.
  void take(const OneOf& other) {
    constexpr std::size_t kSmall = 8;
    index_ = other.index_;
    static constexpr std::array<bool, kKinds> kIsSmall{sizeof(First) <= kSmall,
                                                       (sizeof(Others) <= kSmall)...};
    if (kIsSmall[index_]) {
      std::memcpy(bytes_.data(), other.bytes_.data(), kSmall);
    } else {
      bytes_ = other.bytes_;
    }
  }

 private:
  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }
  static constexpr std::size_t largest() {
    std::size_t bytes = sizeof(First);
    ((bytes = larger(bytes, sizeof(Others))), ...);
    return bytes;
  }
  template <class Visit, class Kind, class... Rest>
  auto visit_from(const Visit& visit) const {
    if constexpr (sizeof...(Rest) > 0) {
      if (index_ != number_of<Kind>()) return visit_from<Visit, Rest...>(visit);
    }
    return visit(*std::launder(reinterpret_cast<const Kind*>(bytes_.data())));
  }

  std::uint8_t index_;
  alignas(8) std::array<std::byte, largest()> bytes_;
};

}  // namespace paceline
