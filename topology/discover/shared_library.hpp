// SPDX-License-Identifier: MIT
/// \file
/// An optional shared library, opened at run time.
#pragma once
#include <memory>

#include <dlfcn.h>

namespace paceline {

class SharedLibrary final {
 public:
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  /// Sets `function` to the library's function `name`; false if there is none.
  template <class Function>
  bool find(Function*& function, const char* name) const {
    function = handle_ ? reinterpret_cast<Function*>(dlsym(handle_.get(), name)) : nullptr;
    return function != nullptr;
  }

 private:
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace paceline
