#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/json.hpp"
#include "hotrow/http/promotion_input.hpp"
#include "hotrow/http/strict_json.hpp"

// The JSON layer: what it takes has one canonical text, and settings that it accepts survive being stored.
namespace {

using namespace hotrow;
using namespace hotrow::http;

/// A number that is no integer. No member of any call takes one, so its text never becomes a fingerprint; and
/// the parser rounds long ones by a digit, so that it would not be the same twice.
bool has_fraction(const boost::json::value& value) {
  if (value.is_double()) return true;
  if (const auto* array = value.if_array()) return std::any_of(array->begin(), array->end(), has_fraction);
  const auto* object = value.if_object();
  return object != nullptr && std::any_of(object->begin(), object->end(),
                                          [](const auto& member) { return has_fraction(member.value()); });
}

void check_canonical(const boost::json::object& object) {
  if (has_fraction(object)) return;
  const std::string text = canonical_json(object);
  const auto again = parse_object(text);
  HOTROW_ASSERT(again.has_value());
  HOTROW_ASSERT(canonical_json(*again) == text);
}

void check_settings(const boost::json::object& object) {
  const Input<PromotionInput> input = read_promotion(object);
  if (!input) {
    HOTROW_ASSERT(!input.error().empty());
    return;
  }
  const auto restored = decode_settings(encode_settings(*input->settings));
  HOTROW_ASSERT(restored.has_value());
  HOTROW_ASSERT(*restored == *input->settings);
  HOTROW_ASSERT(targets_total(input->settings->rule) >= 1);
  HOTROW_ASSERT(last_target(input->settings->rule) >= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto object = parse_object(text);
  if (!object) return 0;
  check_canonical(*object);
  check_settings(*object);
  if (const auto user = read_user(*object)) HOTROW_ASSERT(!user->empty() && user->size() <= 128);
  if (const auto users = read_users(*object)) HOTROW_ASSERT(!users->empty() && users->size() <= 1000);
  static_cast<void>(read_reason(*object));
  return 0;
}
