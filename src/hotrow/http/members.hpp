#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "hotrow/base/checked.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/core/outcome.hpp"
#include "hotrow/core/wallet_row.hpp"

namespace hotrow::http {

/// Everything that is wrong with a body, gathered so that the caller can mend it in one go.
class FieldErrors {
 public:
  static constexpr std::size_t listed_max = 100;

  void add(std::string field, std::string message) {
    if (errors_.size() < listed_max) errors_.push_back({std::move(field), std::move(message)});
  }
  bool empty() const { return errors_.empty(); }
  std::vector<FieldError> take() { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

/// What a body says, or everything that is wrong with it.
template <class T>
using Input = tl::expected<T, std::vector<FieldError>>;

/// `value`, unless something was wrong.
template <class T>
Input<T> checked(T value, FieldErrors& errors) {
  if (!errors.empty()) return tl::unexpected(errors.take());
  return value;
}

enum class Presence : std::uint8_t { required, optional };

struct IntegerRange {
  std::int64_t min = 1;
  std::int64_t max = integer_max;
};

/// Bounds of a text, in characters (code points). Control characters are refused, except that `lines` may
/// hold tabs and line ends.
struct TextLimits {
  std::size_t characters_min = 1;
  std::size_t characters_max = 200;
  bool lines = false;
};

/// An integer written as one: 1.0, 1e3, "1" and true are not. nullopt after adding to `errors`.
std::optional<std::int64_t> read_integer(const boost::json::value& value, const IntegerRange& range,
                                         const std::string& field, FieldErrors& errors);

/// An id. nullopt after adding to `errors`.
std::optional<std::string> read_id(const boost::json::value& value, const std::string& field,
                                   FieldErrors& errors);

/// A currency's name: [a-z0-9_]{1,16}.
bool is_currency(std::string_view text);
inline constexpr std::string_view not_a_currency = "must be 1 to 16 small letters, digits and underscores";

/// Takes members out of one object of a client's body. Each taking names the member; what nobody took is
/// unknown. An optional member that is null counts as absent. Nothing stops at the first error.
class Members {
 public:
  /// `prefix` stands before the names in errors: "rule." for a member of `rule`.
  Members(const boost::json::object& object, FieldErrors& errors, std::string prefix = "")
      : object_(object), errors_(errors), prefix_(std::move(prefix)) {}

  std::optional<std::int64_t> integer(std::string_view name, Presence presence,
                                      const IntegerRange& range = {});
  std::optional<std::string> text(std::string_view name, Presence presence, const TextLimits& limits = {});
  std::optional<std::string> id(std::string_view name, Presence presence = Presence::required);
  /// "player:anna" or "guild:5".
  std::optional<Owner> owner(std::string_view name);
  /// "gold" when it is absent.
  std::string currency();
  std::optional<Timestamp> time(std::string_view name, Presence presence);
  bool flag_or(std::string_view name, bool absent);
  const boost::json::object* object(std::string_view name, Presence presence);
  const boost::json::array* array(std::string_view name);

  /// Whether the member is there and not null, whatever it holds. Takes nothing.
  bool has(std::string_view name) const;

  void error(std::string_view name, std::string message) { errors_.add(field(name), std::move(message)); }

  /// Call it last: adds an error for each member that was not asked for.
  void refuse_others();

  std::string field(std::string_view name) const { return prefix_ + std::string(name); }
  FieldErrors& errors() { return errors_; }

 private:
  /// The value; nullptr when it is absent, after adding an error if it must not be.
  const boost::json::value* take(std::string_view name, Presence presence);

  const boost::json::object& object_;
  FieldErrors& errors_;
  std::string prefix_;
  static constexpr std::size_t members_max = 20;
  std::array<std::string_view, members_max> asked_;
  std::size_t asked_count_ = 0;
};

}  // namespace hotrow::http
