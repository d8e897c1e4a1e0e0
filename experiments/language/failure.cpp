// SPDX-License-Identifier: MIT
#include "experiments/language/failure.hpp"

#include <new>
#include <stdexcept>
#include <typeinfo>

namespace paceline {

std::string in_plain_words(const std::exception& error) {
  const auto is = [&error]<class Kind>(const Kind*) {
    return dynamic_cast<const Kind*>(&error) != nullptr;
  };
  // a length that no container can have is more memory than there is
  if (is(static_cast<std::bad_alloc*>(nullptr)) || is(static_cast<std::length_error*>(nullptr)))
    return "out of memory";
  // the standard library throws its kinds; we throw the plain one, with words of our own
  if (typeid(error) == typeid(std::logic_error))
    return std::string("internal error: ") + error.what() +
           " (please report it, with the file that led to it)";
  const bool of_numbers = is(static_cast<std::range_error*>(nullptr)) ||
                          is(static_cast<std::overflow_error*>(nullptr)) ||
                          is(static_cast<std::underflow_error*>(nullptr));
  if (is(static_cast<std::runtime_error*>(nullptr)) && !of_numbers) return error.what();
  return "internal error (please report it, with the file that led to it)";
}

}  // namespace paceline
