"""The servers that a benchmark needs, each in a temporary folder on a free loopback port, stopped by pid."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOTROW = os.path.join(ROOT, "build", "release", "hotrow")
ENGINE_BENCH = os.path.join(ROOT, "build", "release", "bench", "engine_bench")
PG_BIN = "/usr/lib/postgresql/15/bin"
PG_SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "4GB",
    "max_connections": "400",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(ready, what, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.05)
    raise SystemExit(f"bench: {what} did not become ready")


class Process:
    """A child process that is ended by its pid, at the latest when its folder goes."""

    started = []

    def __init__(self, command, log, **identity):
        self.log = open(log, "w")
        self.child = subprocess.Popen(command, stdout=self.log, stderr=self.log, **identity)
        Process.started.append(self)

    def stop(self, how=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(how)
            self.child.wait()
        self.log.close()


class Postgres:
    def __init__(self, folder, more_settings=None):
        self.folder = os.path.join(folder, "postgres")
        self.log = os.path.join(folder, "postgres.log")
        self.port = free_port()
        os.makedirs(self.folder)
        identity = {}  # PostgreSQL refuses to run as root.
        if os.geteuid() == 0:
            identity = {"user": "postgres", "group": "postgres", "extra_groups": []}
            os.chmod(folder, 0o755)
            shutil.chown(self.folder, "postgres")
        data = os.path.join(self.folder, "data")
        subprocess.run(
            [f"{PG_BIN}/initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8"],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **identity)
        settings = [part for name, value in (PG_SETTINGS | (more_settings or {})).items()
                    for part in ("-c", f"{name}={value}")]
        self.process = Process(
            [f"{PG_BIN}/postgres", "-D", data, "-p", str(self.port), "-k", self.folder,
             "-c", "listen_addresses=127.0.0.1"] + settings,
            self.log, cwd=self.folder, **identity)
        wait_until(lambda: self.sql("SELECT 1", check=False) == "1", "PostgreSQL")

    def url(self, database="postgres"):
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def sql(self, text, database="postgres", check=True):
        done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.url(database), "-c", text],
                              capture_output=True, text=True)
        if check and done.returncode != 0:
            raise SystemExit(f"bench: psql: {done.stderr}")
        return done.stdout.strip()

    def version(self):
        return self.sql("SHOW server_version").split(" ")[0]

    def stop(self):
        self.process.stop(signal.SIGINT)


class Redis:
    def __init__(self, folder):
        self.port = free_port()
        self.process = Process(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
             "--dir", folder], os.path.join(folder, "redis.log"))

        def answers():
            done = subprocess.run(["redis-cli", "-p", str(self.port), "ping"], capture_output=True, text=True)
            return done.stdout.strip() == "PONG"

        wait_until(answers, "Redis")

    def stop(self):
        self.process.stop()


class Hotrow:
    def __init__(self, folder, database, name, flags=()):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = Process(
            [HOTROW, "serve", "--dev", "--listen", f"127.0.0.1:{self.port}", "--database", database, *flags],
            os.path.join(folder, f"{name}.log"))

        def ready():
            try:
                return urllib.request.urlopen(self.address + "/readyz").status == 200
            except OSError:
                return False

        wait_until(ready, f"hotrow on {name}")

    def call(self, method, path, body=None, headers=()):
        headers = dict(headers) | ({"Content-Type": "application/json"} if body else {})
        request = urllib.request.Request(self.address + path, method=method, data=body, headers=headers)
        return urllib.request.urlopen(request).read()

    def memory_mib(self):
        with open(f"/proc/{self.process.child.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["VmRSS"].split()[0]) / 1024

    def stop(self):
        self.process.stop()


class Folder:
    """A temporary folder. At its end whatever still runs is ended, and it is removed."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="hotrow-bench-")
        return self.path

    def __exit__(self, *_):
        for process in reversed(Process.started):
            process.stop(signal.SIGINT)
        shutil.rmtree(self.path, ignore_errors=True)
