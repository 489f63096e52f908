"""The slower questions of script/bench entries --long: how the rate holds up when something is in the way."""

import datetime
import resource
import socket
import subprocess

from entries import create_promotion, say, SETTINGS, wrk
from machines import Hotrow, Postgres

CONNECTIONS = 64
EXISTING = 10_000_000


def fill(postgres, promotion, count):
    """`count` earlier entries, as hotrow would have written them."""
    postgres.sql(
        f"INSERT INTO hotrow.entry (promotion, user_id, ordinal, entered_at, request_id, actor) "
        f"SELECT '{promotion}', md5(n::text), n, 1767225600000000 + n, 'filled-in', 'dev' "
        f"FROM generate_series(1, {count}) n")
    postgres.sql(f"UPDATE hotrow.promotion SET entries = {count} WHERE id = '{promotion}'")
    postgres.sql("CHECKPOINT")


def with_existing(postgres, server, seconds):
    """The rate on top of earlier entries against the rate on none, as PostgreSQL comes and with compressed page images.
    Both are measured right after a checkpoint, when the first change of each page writes the whole page to the log."""
    far = dict(SETTINGS, rule={"kind": "nth", "targets": [EXISTING * 10]})
    none = wrk(server, create_promotion(server, far), CONNECTIONS, seconds)["rate"]
    promotion = create_promotion(server, far)
    say(f"writing {EXISTING:,} earlier entries")
    fill(postgres, promotion, EXISTING)
    say("entries on top of them")
    plain = wrk(server, promotion, CONNECTIONS, seconds)["rate"]
    postgres.sql("ALTER SYSTEM SET wal_compression = lz4")
    postgres.sql("SELECT pg_reload_conf()")
    postgres.sql("CHECKPOINT")
    compressed = wrk(server, promotion, CONNECTIONS, seconds)["rate"]
    return plain / none, compressed / none


def with_snapshot_held(postgres, server):
    """The rate in the last 10 of 30 seconds during which somebody holds a snapshot open."""
    promotion = create_promotion(server)
    free = wrk(server, promotion, CONNECTIONS, 10)["rate"]
    holder = subprocess.Popen(["psql", "-XAtq", postgres.url()], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True)
    holder.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;\n")
    holder.stdin.flush()
    holder.stdout.readline()
    say("a snapshot is held for 30 seconds")
    wrk(server, promotion, CONNECTIONS, 20)
    held = wrk(server, promotion, CONNECTIONS, 10)["rate"]
    holder.stdin.close()
    holder.wait()
    return held / free


def among(server, seconds, other=None):
    """All answers a second when ten further requests come with each new entry, against new entries alone."""
    alone = wrk(server, create_promotion(server), CONNECTIONS, seconds)["rate"]
    return wrk(server, create_promotion(server), CONNECTIONS, seconds, further=10, other=other)["requests"] / alone


def among_early_birds(server, seconds):
    start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    return among(server, seconds, create_promotion(server, dict(SETTINGS, starts_at=start.isoformat())))


def memory_with_idle_connections(server, count=10_000):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 1000), hard))
    idle = []
    for _ in range(count):
        idle.append(socket.create_connection(("127.0.0.1", server.port)))
        idle[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n")
        idle[-1].recv(4096)
    used = server.memory_mib()
    for connection in idle:
        connection.close()
    return used


def measure_long(seconds, folder):
    postgres = Postgres(folder)
    server = Hotrow(folder, postgres.url(), "postgres", ["--migrate", "--connections-max", "12000"])
    result = {}
    say("repeats")
    result["repeats"] = among(server, seconds)
    say("early birds")
    result["early_birds"] = among_early_birds(server, seconds)
    result["snapshot_held"] = with_snapshot_held(postgres, server)
    result["existing"], result["existing_compressed"] = with_existing(postgres, server, seconds)
    say("10,000 idle connections")
    result["idle_memory_mib"] = memory_with_idle_connections(server)
    server.stop()
    postgres.stop()
    return result


def print_long(result):
    print("\n| at 64 connections | here | wanted |")
    print("|---|---:|---:|")
    print(f"| rate with 10 million earlier entries / with none | {result['existing']:.2f} | >= 0.6 |")
    print(f"| the same with wal_compression = lz4 | {result['existing_compressed']:.2f} | |")
    print(f"| rate with a snapshot held open for 30 s / without | {result['snapshot_held']:.2f} | >= 0.5 |")
    print(f"| all answers with 10 repeats to each new entry / new entries alone | {result['repeats']:.2f} | >= 0.8 |")
    print("| all answers with 10 early birds to each new entry / new entries alone "
          f"| {result['early_birds']:.2f} | >= 0.8 |")
    print(f"| server memory with 10,000 idle connections, MiB | {result['idle_memory_mib']:.0f} | < 200 |")
