#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hotrow/app/commands.hpp"
#include "hotrow/app/config.hpp"
#include "hotrow/app/database.hpp"
#include "hotrow/app/service.hpp"
#include "hotrow/app/version.hpp"
#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

/// Supervisors kill after 30 s: to be gone before, with a reason, is better.
constexpr unsigned stop_seconds_max = 24;

sigset_t handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

/// Blocked before the first thread starts, so that only this thread takes them, by sigwait().
void block_signals(const sigset_t& signals) {
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // A file that may not grow is a full disk.
}

extern "C" void out_of_time(int) {
  static constexpr char line[] = "{\"level\":\"error\",\"message\":\"could not stop in time\"}\n";
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) _exit(1);
  _exit(1);
}

extern "C" void already_stopping(int) {
  static constexpr char line[] = "{\"level\":\"info\",\"message\":\"already stopping\"}\n";
  static std::atomic_flag told;
  if (told.test_and_set()) return;
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) return;
}

/// From now on a further signal changes nothing: supervisors and people send more than one, and what was
/// taken is still to be answered. Time ends the process.
void arm_for_stopping(const sigset_t& signals) {
  signal(SIGHUP, SIG_IGN);
  for (const int number : {SIGTERM, SIGINT}) signal(number, already_stopping);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  signal(SIGALRM, out_of_time);
  alarm(stop_seconds_max);
}

void wait_for_end(Service& service, const sigset_t& signals) {
  int number = 0;
  while (sigwait(&signals, &number) == 0) {
    if (number != SIGHUP) {
      log(LogLevel::info, "stopping", {{"signal", strsignal(number)}});
      return;
    }
    service.reload_keys();
  }
}

}  // namespace

int serve_command(const Settings& settings) {
  const Faults faults = check_for_serving(settings);
  for (const std::string& fault : faults) std::fprintf(stderr, "hotrow: %s\n", fault.c_str());
  if (!faults.empty()) return exit_usage;

  start_logging(settings.log_level);
  const sigset_t signals = handled_signals();
  block_signals(signals);
  const Result<std::unique_ptr<Service>> service = Service::start(settings);
  if (!service) {
    std::fprintf(stderr, "hotrow: %s (%s)\n", service.error().detail.c_str(), service.error().code.c_str());
    return exit_no;
  }
  log(LogLevel::info, "serving",
      {{"listen", settings.listen},
       {"port", std::int64_t{(*service)->port()}},
       {"server", server_name(settings)},
       {"version", program_version()}});
  wait_for_end(**service, signals);
  arm_for_stopping(signals);
  (*service)->stop();
  log(LogLevel::info, "stopped");
  return exit_ok;
}

}  // namespace hotrow
