#include "hotrow/base/hash.hpp"

#include <endian.h>
#include <sodium.h>

#include <cstring>

namespace hotrow {
namespace {

constexpr std::uint64_t odd_multiplier = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * odd_multiplier;
  return hash ^ (hash >> 32);
}

/// Up to eight bytes as a little-endian number.
std::uint64_t word_of(std::string_view bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return le64toh(word);
}

std::string hex_of(const unsigned char* bytes, std::size_t count) {
  std::string text(count * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes, count);
  text.pop_back();
  return text;
}

}  // namespace

std::uint64_t frozen_hash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = mix(seed, bytes.size());
  for (; bytes.size() > 8; bytes.remove_prefix(8)) hash = mix(hash, word_of(bytes.substr(0, 8)));
  return bytes.empty() ? hash : mix(hash, word_of(bytes));
}

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return digest;
}

std::string to_hex(const Sha256& digest) { return hex_of(digest.data(), digest.size()); }

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  randombytes_buf(&seed, sizeof seed);
  return seed;
}

std::string random_hex(std::size_t count) {
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), count);
  return hex_of(reinterpret_cast<const unsigned char*>(bytes.data()), count);
}

}  // namespace hotrow
