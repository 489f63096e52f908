#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotrow/http/exchange.hpp"
#include "hotrow/http/io_loop.hpp"
#include "hotrow/http/request_parser.hpp"

namespace hotrow::http {

/// One client's connection. Used by its loop's thread alone.
///
/// Every event (bytes came, an answer came, bytes went) does its own little thing and then calls advance(),
/// which parses what can be taken, writes what is answered, in the order in which the requests came, sends
/// it all in one go, and decides what to wait for. While a connection is idle it owns no buffer: bytes are
/// read into the loop's buffer and answers written from the loop's, and only what is left over is kept.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<IoLoop> loop, boost::asio::ip::tcp::socket socket);
  ~Connection();

  void start();

  /// The answer of an exchange of this connection has come; advance() is due.
  void note_answer(Exchange& exchange);

  void advance();

  /// Closes what has waited too long.
  void check_deadline(SteadyTime now);

  /// Takes no further request and closes after the last answer.
  void wind_down();

  /// At once. Requests without an answer keep the connection until it comes; nobody is told it then.
  void close();

  std::size_t slot = 0;         ///< Place in the loop's list.
  bool advance_is_due = false;  ///< The loop's note to itself.

 private:
  enum class Phase : std::uint8_t {
    serving,
    ending,     ///< No further request is taken; closed once the answers are sent.
    lingering,  ///< All is sent and the end is told; what still comes is thrown away.
    closed,
  };

  // Reading (connection.cpp).
  void on_readable();
  void take_bytes(std::string_view bytes);
  bool has_input() const;
  bool parse_unparsed();
  std::size_t parse(std::string_view bytes);
  bool parse_step(std::string_view& bytes);
  void begin_request();
  void admit_request();
  void take_request();
  void refuse_request(std::string_view code, std::string_view detail);
  bool can_take() const;
  void wait_to_read();

  // Writing (connection_answers.cpp).
  void write_answers();
  bool write_answer(Exchange& exchange);
  bool pump(Exchange& exchange);
  void write_head(Exchange& exchange, const Response& response);
  Response take_response(Exchange& exchange);
  void report(const Exchange& exchange, const Response& response);
  void send();
  void wait_to_send();

  void decide_what_to_wait_for();
  void linger();

  const std::shared_ptr<IoLoop> loop_;
  boost::asio::ip::tcp::socket socket_;
  Phase phase_ = Phase::serving;
  bool waiting_to_read_ = false;
  bool waiting_to_send_ = false;
  bool client_finished_ = false;  ///< It sends nothing any more.
  bool continue_is_due_ = false;  ///< It waits for "100 Continue".
  bool input_is_short_ = false;   ///< unparsed_ needs more bytes behind it.
  bool pump_is_due_ = false;      ///< The first answer's pipe waits for room in the send buffer.
  bool last_taken_ = false;       ///< No request behind the ones taken will be read.
  SteadyTime since_;              ///< When the present wait began.
  std::string unparsed_;
  std::string unsent_;
  std::string* out_ = nullptr;  ///< Where answers are written during advance().
  std::unique_ptr<Exchange> reading_;
  std::optional<Response> refusal_;  ///< What the request being read will be told, known from its header.
  std::optional<RequestParser> parser_;
  std::vector<std::unique_ptr<Exchange>> taken_;  ///< In order, answered or not.
};

}  // namespace hotrow::http
