#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hotrow/base/result.hpp"

namespace hotrow {

/// A regular expression that matches in time linear in the text, so that no pattern can stall a lane.
/// RE2 syntax; must match the whole text. A value, cheap to copy, safe from all threads.
class Pattern {
 public:
  /// ErrorKind::invalid with the reason when `expression` is malformed or too large (256 KiB compiled).
  static Result<Pattern> compile(const std::string& expression);

  bool matches(std::string_view text) const;

  const std::string& expression() const;

  friend bool operator==(const Pattern& a, const Pattern& b) { return a.expression() == b.expression(); }

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace hotrow
