#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace hotrow {

/// What the caller can do about a failure. Every adapter maps its own codes to these in one function.
enum class ErrorKind {
  invalid,     ///< This very input can never succeed: a bug or a poisoned command. Split the batch.
  overloaded,  ///< A bound was reached before anything began. Definitely nothing done.
  conflict,    ///< Rolled back because of others (40001, 40P01, a key taken meanwhile). Try again whole.
  held,        ///< A lock was not had within its budget. Rolled back.
  transient,   ///< The store is away. Definitely nothing done; never split.
  in_doubt,    ///< COMMIT was sent and its fate is not known. Ask Store::resolve().
  fatal,       ///< Set-up is wrong (schema, rights, version). Trying again does not help.
};

std::string_view to_string(ErrorKind kind);

/// A failure, as opposed to a business refusal (core/outcome.hpp) and to a bug (base/assert.hpp).
struct Error {
  ErrorKind kind;
  std::string code;    ///< The adapter's own code, for logs and metrics: an SQLSTATE, "SQLITE_FULL", ...
  std::string detail;  ///< For operators. Never shown to a client.
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorKind kind, std::string code, std::string detail) {
  return tl::unexpected<Error>(Error{kind, std::move(code), std::move(detail)});
}

/// Passes an error on from a Result of another type.
inline tl::unexpected<Error> failure(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace hotrow
