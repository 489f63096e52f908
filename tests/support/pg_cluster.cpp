#include "tests/support/pg_cluster.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hotrow {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int status = -1;
  std::string output;
};

std::vector<char*> to_argv(std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

/// Runs a program to its end; its output goes to a file, because a server it leaves behind would hold a pipe.
Ran run(std::vector<std::string> command) {
  char path[] = "/tmp/hotrow-output-XXXXXX";
  const int output = ::mkostemp(path, O_CLOEXEC);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(output, 1);
    ::dup2(output, 2);
    if (::chdir("/") == 0) ::execvp(command[0].c_str(), to_argv(command).data());
    ::_exit(127);
  }
  Ran ran;
  ::waitpid(child, &ran.status, 0);
  ::close(output);
  std::ifstream in(path);
  ran.output.assign(std::istreambuf_iterator<char>(in), {});
  ::unlink(path);
  return ran;
}

std::string run_or_throw(const std::vector<std::string>& command) {
  Ran ran = run(command);
  if (ran.status != 0) throw std::runtime_error(command[0] + " failed: " + ran.output);
  return ran.output;
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

/// The newest PostgreSQL of the system, or the one that HOTROW_PG_BIN names.
std::string bin_folder() {
  if (const char* chosen = std::getenv("HOTROW_PG_BIN")) return chosen;
  std::vector<fs::path> versions;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql")) {
    if (fs::exists(entry.path() / "bin" / "initdb")) versions.push_back(entry.path());
  }
  if (versions.empty()) throw std::runtime_error("PostgreSQL is not installed");
  return (*std::max_element(versions.begin(), versions.end()) / "bin").string();
}

}  // namespace

std::string PgCluster::program(const std::string& name) const { return bin_folder() + "/" + name; }

std::vector<std::string> PgCluster::as_owner(std::vector<std::string> command) const {
  if (::geteuid() != 0) return command;
  std::vector<std::string> prefixed = {"runuser", "-u", "postgres", "--"};
  prefixed.insert(prefixed.end(), command.begin(), command.end());
  return prefixed;
}

PgCluster::PgCluster(const Options& options) : port_(free_port()) {
  char path[] = "/tmp/hotrow-pg-XXXXXX";
  if (::mkdtemp(path) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = path;
  if (::geteuid() == 0) run_or_throw({"chown", "postgres:", folder_});
  watch();
  initialise(options);
  start();
}

PgCluster::~PgCluster() {
  ::close(lifeline_);
  ::waitpid(watcher_, nullptr, 0);
}

void PgCluster::initialise(const Options& options) {
  run_or_throw(as_owner({program("initdb"), "--no-sync", "--auth=trust", "--username=postgres",
                         "--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=und",
                         "--pgdata=" + folder_ + "/data"}));
  std::ofstream settings(folder_ + "/data/postgresql.conf", std::ios::app);
  settings << "listen_addresses = '127.0.0.1'\n"
           << "port = " << port_ << "\nunix_socket_directories = '" << folder_ << "'\n"
           << "fsync = on\nsynchronous_commit = on\nmax_connections = 60\n";
  for (const std::string& line : options.settings) settings << line << '\n';
}

/// Starts the process that stops the server and removes the folder once the lifeline is cut.
void PgCluster::watch() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> stop =
      as_owner({program("pg_ctl"), "stop", "--silent", "--mode=immediate", "--pgdata=" + folder_ + "/data"});
  std::string script;
  for (const std::string& word : stop) script += "'" + word + "' ";
  std::vector<std::string> command = {"sh", "-c", script + ">/dev/null 2>&1; rm -rf '" + folder_ + "'"};
  watcher_ = ::fork();
  if (watcher_ == 0) {
    ::setsid();
    ::close(ends[1]);
    char byte = 0;
    while (::read(ends[0], &byte, 1) < 0) {
    }
    if (::chdir("/") == 0) ::execvp("sh", to_argv(command).data());
    ::_exit(127);
  }
  ::close(ends[0]);
  lifeline_ = ends[1];
}

void PgCluster::start() {
  // After a crash() the orphaned sessions hold the shared memory until they notice; each try takes a while.
  Ran ran;
  for (int attempt = 0; attempt < 100; ++attempt) {
    ran = run(as_owner({program("pg_ctl"), "start", "--silent", "--wait", "--pgdata=" + folder_ + "/data",
                        "--log=" + folder_ + "/log"}));
    if (ran.status == 0) return;
  }
  std::ifstream log(folder_ + "/log");
  throw std::runtime_error(ran.output + std::string(std::istreambuf_iterator<char>(log), {}));
}

void PgCluster::stop() {
  run_or_throw(as_owner(
      {program("pg_ctl"), "stop", "--silent", "--wait", "--mode=fast", "--pgdata=" + folder_ + "/data"}));
}

pid_t PgCluster::postmaster() const {
  std::ifstream in(folder_ + "/data/postmaster.pid");
  pid_t pid = 0;
  in >> pid;
  if (pid <= 1) throw std::runtime_error("the server is not running");
  return pid;
}

void PgCluster::crash() {
  const pid_t pid = postmaster();
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  const std::vector<pid_t> sessions(std::istream_iterator<pid_t>(in), {});
  ::kill(pid, SIGKILL);  // First, so that it starts nothing anew.
  for (const pid_t session : sessions) ::kill(session, SIGKILL);
}

std::string PgCluster::url(const std::string& user, const std::string& database) const {
  return "postgresql://" + user + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

void PgCluster::dump_into(const PgCluster& other) const {
  const std::string file = folder_ + "/dump.sql";
  run_or_throw({program("pg_dump"), "--dbname=" + url(), "--file=" + file});
  run_or_throw({program("psql"), "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1",
                "--dbname=" + other.url(), "--file=" + file});
}

std::string PgCluster::sql(const std::string& text) const {
  std::string output = run_or_throw({program("psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                                     "--set=ON_ERROR_STOP=1", "--dbname=" + url(), "--command=" + text});
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

}  // namespace hotrow
