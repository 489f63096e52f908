#include <cstdio>
#include <iostream>
#include <string>

#include "hotrow/app/commands.hpp"
#include "hotrow/base/hash.hpp"
#include "hotrow/http/api_keys.hpp"

namespace hotrow {
namespace {

constexpr std::size_t key_bytes = 24;
constexpr std::size_t given_key_size_min = 16;

/// A prefix, so that scanners of repositories can find a key that got lost there.
std::string made_key() { return "hotrow_" + random_hex(key_bytes); }

}  // namespace

/// The line goes to standard output, for `>> api-keys`; the key, seen only this once, to standard error.
int key_hash_command(const KeyHashOptions& options) {
  if (const auto fault = http::key_name_fault(options.name)) {
    std::fprintf(stderr, "hotrow: %s\n", fault->c_str());
    return exit_usage;
  }
  std::string key;
  if (options.from_stdin) {
    std::getline(std::cin, key);
    if (key.size() < given_key_size_min) {
      std::fprintf(stderr, "hotrow: a key has at least %zu characters\n", given_key_size_min);
      return exit_usage;
    }
  } else {
    key = made_key();
  }
  const std::string line = options.name + " " + options.role + " " + to_hex(sha256(key));
  for (const http::ApiKeyFault& fault : http::parse_api_keys(line).faults) {
    std::fprintf(stderr, "hotrow: %s\n", fault.message.c_str());
    return exit_usage;
  }
  if (!options.from_stdin) std::fprintf(stderr, "key (shown only now): %s\n", key.c_str());
  std::printf("%s\n", line.c_str());
  return exit_ok;
}

}  // namespace hotrow
