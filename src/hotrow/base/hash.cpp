#include "hotrow/base/hash.hpp"

#include <sodium.h>

namespace hotrow {
namespace {

std::string hex_of(const unsigned char* bytes, std::size_t count) {
  std::string text(count * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes, count);
  text.pop_back();
  return text;
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return digest;
}

std::string to_hex(const Sha256& digest) { return hex_of(digest.data(), digest.size()); }

std::string random_hex(std::size_t count) {
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), count);
  return hex_of(reinterpret_cast<const unsigned char*>(bytes.data()), count);
}

}  // namespace hotrow
