#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotrow/base/hash.hpp"

namespace hotrow::http {

/// What a key may do; each role may do everything that the ones before it may.
enum class Role : std::uint8_t { anyone, reader, service, operator_ };

std::string_view to_string(Role role);

/// nullopt for anything but "reader", "service" and "operator".
std::optional<Role> role_from_string(std::string_view name);

struct ApiKey {
  std::string name;  ///< Stands in entries and events as the actor; never the secret.
  Role role = Role::anyone;
  Sha256 sha256{};  ///< Of the secret. The secret itself is nowhere in the server.
};

/// One thing that is wrong with a keys file.
struct ApiKeyFault {
  std::size_t line = 0;  ///< From 1; 0 when it concerns the file as a whole.
  std::string message;   ///< Never repeats the line: it may hold a secret by mistake.
};

struct ParsedApiKeys {
  std::vector<ApiKey> keys;
  std::vector<ApiKeyFault> faults;  ///< All of them; with any, the keys must not be used.
};

/// What is wrong with a key's name; nullopt when nothing is.
std::optional<std::string> key_name_fault(std::string_view name);

/// Lines `name role sha256`, separated by blanks; `#` starts a comment line. Names are
/// `[A-Za-z0-9._-]{1,64}` and distinct, as are the hashes; "hotrow" is the server's own name and refused.
ParsedApiKeys parse_api_keys(std::string_view text);

/// The keys in force. Safe from all threads.
class ApiKeys {
 public:
  ApiKeys() = default;  ///< No key fits.
  explicit ApiKeys(std::vector<ApiKey> keys);

  /// Reads the file and puts its keys in force at once. With any fault the old keys stay; the faults are
  /// returned.
  std::vector<ApiKeyFault> load(const std::string& path);

  /// The key with this secret; nullptr when there is none. Compares with every key, in the same time.
  std::shared_ptr<const ApiKey> find(std::string_view secret) const;

  /// Whether this key, found earlier, is still in force and may do what `needed` may.
  bool admits(const ApiKey& key, Role needed) const;

  std::size_t size() const;

 private:
  using List = std::vector<std::shared_ptr<const ApiKey>>;
  std::shared_ptr<const List> current() const;
  void replace(std::vector<ApiKey> keys);

  mutable std::mutex mutex_;
  std::shared_ptr<const List> keys_ = std::make_shared<const List>();
};

}  // namespace hotrow::http
