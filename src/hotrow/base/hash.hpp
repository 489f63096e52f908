#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace hotrow {

/// Mixes `bytes` into `seed`, eight at a time: 64 bits for tables and for routing, not against an adversary's
/// collisions in anything that must be distinct. Frozen: two builds on one database must route a key alike,
/// so this is not std::hash, whose values may change with the compiler. Test vectors in
/// tests/base/hash_test.cpp.
std::uint64_t frozen_hash(std::string_view bytes, std::uint64_t seed = 14695981039346656037ULL);

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

/// Lower-case hexadecimal.
std::string to_hex(const Sha256& digest);

/// From the operating system's generator.
std::uint64_t random_seed();

/// `count` bytes from the operating system's generator, as lower-case hexadecimal (2 x count characters).
std::string random_hex(std::size_t count);

}  // namespace hotrow
