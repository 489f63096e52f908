#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace hotrow {

/// The text form of an enum whose values count from 0: one list for both directions.
template <class E, std::size_t N>
class Names {
 public:
  constexpr explicit Names(std::array<std::string_view, N> names) : names_(names) {}

  constexpr std::string_view of(E value) const { return names_[std::size_t(value)]; }

  constexpr std::optional<E> value(std::string_view name) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (names_[i] == name) return E(i);
    }
    return std::nullopt;
  }

 private:
  std::array<std::string_view, N> names_;
};

}  // namespace hotrow
