// SPDX-License-Identifier: MIT
#include "experiments/language/failure.hpp"

#include <new>
#include <stdexcept>
#include <typeinfo>

namespace paceline {
namespace {

template <class... Kinds>
bool is_one_of(const std::exception& error) {
  return (... || (dynamic_cast<const Kinds*>(&error) != nullptr));
}

}  // namespace

std::string in_plain_words(const std::exception& error) {
  // no container can have such a length: the memory would not suffice either
  if (is_one_of<std::bad_alloc, std::length_error>(error)) return "out of memory";
  // the project throws std::logic_error itself, the standard library its derived classes
  if (typeid(error) == typeid(std::logic_error))
    return std::string("internal error: ") + error.what() +
           " (please report it, with the file that led to it)";
  const bool of_numbers =
      is_one_of<std::range_error, std::overflow_error, std::underflow_error>(error);
  if (is_one_of<std::runtime_error>(error) && !of_numbers) return error.what();
  return "internal error (please report it, with the file that led to it)";
}

}  // namespace paceline
