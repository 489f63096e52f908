#include "hotrow/base/pattern.hpp"

#include <re2/re2.h>

namespace hotrow {

struct Pattern::Compiled {
  Compiled(const std::string& text, const RE2::Options& options) : expression(text, options) {}
  RE2 expression;
};

Pattern::Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

Result<Pattern> Pattern::compile(const std::string& expression) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(256 << 10);
  auto compiled = std::make_shared<Compiled>(expression, options);
  if (!compiled->expression.ok()) {
    return failure(ErrorKind::invalid, "pattern", compiled->expression.error());
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}

const std::string& Pattern::expression() const { return compiled_->expression.pattern(); }

}  // namespace hotrow
