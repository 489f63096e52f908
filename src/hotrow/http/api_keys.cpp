#include "hotrow/http/api_keys.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>

namespace hotrow::http {
namespace {

constexpr std::array<std::string_view, 4> role_names = {"anyone", "reader", "service", "operator"};
constexpr std::size_t name_length_max = 64;

bool is_key_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= name_length_max && std::ranges::all_of(name, allowed);
}

std::vector<std::string_view> split_blanks(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

std::optional<Sha256> parse_sha256(std::string_view text) {
  Sha256 digest{};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

/// Without a branch that depends on the bytes.
bool equal_in_constant_time(const Sha256& a, const Sha256& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= unsigned(a[i] ^ b[i]);
  return difference == 0;
}

/// Gathers keys and faults line by line.
class Parser {
 public:
  void line(std::size_t number, std::string_view text) {
    const std::vector<std::string_view> words = split_blanks(text);
    if (words.empty() || words.front().starts_with('#')) return;
    if (words.size() != 3) return fault(number, "expected: name role sha256");
    const std::string name(words[0]);
    const std::optional<Role> role = role_from_string(words[1]);
    const std::optional<Sha256> digest = parse_sha256(words[2]);
    if (auto wrong = key_name_fault(name)) fault(number, std::move(*wrong));
    if (!role) fault(number, "the role is not reader, service or operator");
    if (!digest) fault(number, "the hash is not 64 hexadecimal digits");
    if (!names_.insert(name).second) fault(number, "the name stands there twice");
    if (!role || !digest) return;
    if (!digests_.insert(*digest).second) fault(number, "the hash stands there twice");
    parsed_.keys.push_back({.name = name, .role = *role, .sha256 = *digest});
  }

  ParsedApiKeys take() { return std::move(parsed_); }

 private:
  void fault(std::size_t number, std::string message) {
    parsed_.faults.push_back({.line = number, .message = std::move(message)});
  }

  ParsedApiKeys parsed_;
  std::set<std::string> names_;
  std::set<Sha256> digests_;
};

}  // namespace

std::string_view to_string(Role role) { return role_names[std::size_t(role)]; }

std::optional<Role> role_from_string(std::string_view name) {
  for (std::size_t i = 1; i < role_names.size(); ++i) {
    if (role_names[i] == name) return Role(i);
  }
  return std::nullopt;
}

std::optional<std::string> key_name_fault(std::string_view name) {
  if (!is_key_name(name)) return "the name is not [A-Za-z0-9._-]{1,64}";
  if (name == "hotrow") return "the name \"hotrow\" is the server's own";
  return std::nullopt;
}

ParsedApiKeys parse_api_keys(std::string_view text) {
  Parser parser;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    parser.line(number, line);
  }
  return parser.take();
}

ApiKeys::ApiKeys(std::vector<ApiKey> keys) { replace(std::move(keys)); }

std::vector<ApiKeyFault> ApiKeys::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {{.line = 0, .message = "cannot be read: " + path}};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return {{.line = 0, .message = "cannot be read: " + path}};
  ParsedApiKeys parsed = parse_api_keys(text);
  if (parsed.faults.empty() && parsed.keys.empty()) return {{.line = 0, .message = "has no key: " + path}};
  if (parsed.faults.empty()) replace(std::move(parsed.keys));
  return std::move(parsed.faults);
}

std::shared_ptr<const ApiKey> ApiKeys::find(std::string_view secret) const {
  const Sha256 digest = hotrow::sha256(secret);
  const std::shared_ptr<const List> keys = current();
  std::shared_ptr<const ApiKey> found;
  for (const auto& key : *keys) {
    if (equal_in_constant_time(key->sha256, digest)) found = key;
  }
  return found;
}

bool ApiKeys::admits(const ApiKey& key, Role needed) const {
  const std::shared_ptr<const List> keys = current();
  return std::ranges::any_of(
      *keys, [&](const auto& known) { return known->sha256 == key.sha256 && known->role >= needed; });
}

std::size_t ApiKeys::size() const { return current()->size(); }

std::shared_ptr<const ApiKeys::List> ApiKeys::current() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

void ApiKeys::replace(std::vector<ApiKey> keys) {
  auto list = std::make_shared<List>();
  for (ApiKey& key : keys) list->push_back(std::make_shared<const ApiKey>(std::move(key)));
  const std::lock_guard lock(mutex_);
  keys_ = std::move(list);
}

}  // namespace hotrow::http
