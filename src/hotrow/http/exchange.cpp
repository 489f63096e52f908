#include "hotrow/http/exchange.hpp"

#include "hotrow/base/assert.hpp"

namespace hotrow::http {

bool Request::set(Header header, std::string_view value) {
  if (has(header)) return false;
  present_ |= 1U << unsigned(header);
  values_[std::size_t(header)] = value;
  return true;
}

void Exchange::answer(Result<Reply> reply) {
  HOTROW_ASSERT(answer_.index() == 0);
  answer_ = std::move(reply);
  sink_->take_answered(*this);
}

void Exchange::answer(Response response) {
  HOTROW_ASSERT(answer_.index() == 0);
  answer_ = std::move(response);
  sink_->take_answered(*this);
}

}  // namespace hotrow::http
