#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "tests/support/http_probe.hpp"

namespace hotrow::test {

/// The OpenAPI document as a judge of real answers: every answer must be described, with exactly the members
/// and types that it describes. Knows the part of JSON Schema that the document uses.
class Contract {
 public:
  /// Fails the test when `text` is no document.
  explicit Contract(std::string_view text);

  /// What is wrong with the answer to `method target`; "" when it is as described.
  std::string judge(std::string_view method, std::string_view target, const ProbeAnswer& answer) const;

 private:
  const boost::json::object* find_operation(std::string_view path, std::string_view method) const;
  std::string judge_body(const boost::json::object& response, const ProbeAnswer& answer) const;
  std::string judge_value(const boost::json::object& schema, const boost::json::value& value,
                          const std::string& where) const;
  std::string judge_object(const boost::json::object& schema, const boost::json::object& object,
                           const std::string& where) const;
  std::string judge_one_of(const boost::json::array& schemas, const boost::json::value& value,
                           const std::string& where) const;

  boost::json::object document_;
};

}  // namespace hotrow::test
