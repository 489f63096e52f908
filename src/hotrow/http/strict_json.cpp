#include "hotrow/http/strict_json.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_stack.hpp>
#include <vector>

namespace hotrow::http {
namespace {

namespace json = boost::json;
using boost::system::error_code;

/// Builds the value, as json::parser does, and counts the members that the text names: an object keeps only
/// the last of two with one name, so that a smaller object betrays them.
class CountingBuilder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  explicit CountingBuilder(json::storage_ptr storage) { stack_.reset(std::move(storage)); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t count, error_code&) {
    members_ += count;
    stack_.push_object(count);
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t count, error_code&) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view text, std::size_t, error_code&) { return add_chars(text); }
  bool on_key(json::string_view text, std::size_t, error_code&) {
    stack_.push_key(text);
    return true;
  }
  bool on_string_part(json::string_view text, std::size_t, error_code&) { return add_chars(text); }
  bool on_string(json::string_view text, std::size_t, error_code&) {
    stack_.push_string(text);
    return true;
  }
  bool on_number_part(json::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, error_code&) {
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, error_code&) {
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double number, json::string_view, error_code&) {
    stack_.push_double(number);
    return true;
  }
  bool on_bool(bool flag, error_code&) {
    stack_.push_bool(flag);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }

  json::value release() { return stack_.release(); }
  std::size_t members() const { return members_; }

 private:
  bool add_chars(json::string_view text) {
    stack_.push_chars(text);
    return true;
  }

  json::value_stack stack_;
  std::size_t members_ = 0;
};

std::size_t count_members(const json::value& value) {
  std::size_t count = 0;
  if (value.is_object()) {
    count = value.get_object().size();
    for (const auto& member : value.get_object()) count += count_members(member.value());
  } else if (value.is_array()) {
    for (const json::value& element : value.get_array()) count += count_members(element);
  }
  return count;
}

json::parse_options strict_options() {
  json::parse_options options;
  options.max_depth = json_depth_max;
  return options;
}

tl::unexpected<std::string> refused(std::string reason) { return tl::unexpected(std::move(reason)); }

void append_canonical(std::string& out, const json::value& value);

void append_canonical(std::string& out, const json::object& object) {
  std::vector<const json::key_value_pair*> members;
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const json::key_value_pair* member) { return member->key(); });
  out += '{';
  for (const json::key_value_pair* member : members) {
    if (out.back() != '{') out += ',';
    out += json::serialize(json::string_view(member->key()));
    out += ':';
    append_canonical(out, member->value());
  }
  out += '}';
}

void append_canonical(std::string& out, const json::array& array) {
  out += '[';
  for (const json::value& element : array) {
    if (&element != array.begin()) out += ',';
    append_canonical(out, element);
  }
  out += ']';
}

void append_canonical(std::string& out, const json::value& value) {
  if (value.is_object()) return append_canonical(out, value.get_object());
  if (value.is_array()) return append_canonical(out, value.get_array());
  out += json::serialize(value);
}

}  // namespace

tl::expected<json::object, std::string> parse_object(std::string_view text, json::storage_ptr storage) {
  json::basic_parser<CountingBuilder> parser(strict_options(), std::move(storage));
  error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (error) return refused("The body is not valid JSON: " + error.message() + ".");
  if (used < text.size()) return refused("There is text after the JSON object.");
  json::value value = parser.handler().release();
  if (!value.is_object()) return refused("The body must be a JSON object.");
  if (count_members(value) != parser.handler().members()) return refused("A member is named twice.");
  return std::move(value.get_object());
}

std::string canonical_json(const json::value& value) {
  std::string text;
  append_canonical(text, value);
  return text;
}

std::string canonical_json(const json::object& object) {
  std::string text;
  append_canonical(text, object);
  return text;
}

}  // namespace hotrow::http
