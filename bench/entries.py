#!/usr/bin/env python3
"""script/bench entries: one promotion, distinct users, everything on this one machine in one run."""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
import uuid

from machines import ENGINE_BENCH, Folder, Hotrow, PG_SETTINGS, Postgres, Redis

HERE = os.path.dirname(os.path.abspath(__file__))
CONNECTIONS = (16, 64, 256)
PAIRS = 3
SETTINGS = {"title": "Bench", "rule": {"kind": "nth", "targets": [1000]}, "starts_at": "2026-01-01T00:00:00Z"}
USUAL_TABLES = """
CREATE TABLE usual_promotion (id text PRIMARY KEY, entries bigint NOT NULL);
CREATE TABLE usual_entry (promotion text, user_id text, ordinal bigint, entered_at timestamptz,
                          PRIMARY KEY (promotion, user_id), UNIQUE (promotion, ordinal));
INSERT INTO usual_promotion VALUES ('launch', 0);
"""


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def create_promotion(server, settings=None):
    promotion = "bench-" + uuid.uuid4().hex[:8]
    server.call("PUT", f"/v1/promotions/{promotion}", json.dumps(settings or SETTINGS).encode())
    return promotion


def entries_of(server, promotion):
    return json.loads(server.call("GET", f"/v1/promotions/{promotion}"))["entries"]


def milliseconds(name, report):
    """One figure of wrk's report."""
    found = re.search(name + r"\s+([\d.]+)(us|ms|s|m)\b", report)
    if not found:
        raise SystemExit(f"bench: no requests were answered:\n{report}")
    return float(found.group(1)) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}[found.group(2)]


def pgbench(postgres, connections, seconds):
    done = subprocess.run(
        ["pgbench", "-n", "-M", "prepared", "-c", str(connections), "-j", "2", "-T", str(seconds),
         "-f", os.path.join(HERE, "four_statements.sql"), "-h", "127.0.0.1", "-p", str(postgres.port),
         "-U", "postgres", "postgres"], capture_output=True, text=True)
    processed = re.search(r"transactions actually processed: (\d+)", done.stdout)
    latency = re.search(r"latency average = ([\d.]+) ms", done.stdout)
    if done.returncode != 0 or not processed:
        raise SystemExit(f"bench: pgbench: {done.stdout}{done.stderr}")
    return {"rate": int(processed.group(1)) / seconds,
            "latency_ms": float(latency.group(1)) if latency else math.inf}


def wrk(server, promotion, connections, seconds, further=0, other=None, threads=2):
    before, start = entries_of(server, promotion), time.monotonic()
    out = subprocess.run(
        ["wrk", "-t", str(min(threads, connections)), "-c", str(connections), "-d", f"{seconds}s", "--latency",
         "--timeout", "20s", "-s", os.path.join(HERE, "entries.lua"), server.address, "--", promotion,
         uuid.uuid4().hex[:6], str(further), *([other] if other else [])],
        capture_output=True, text=True, check=True).stdout
    took = time.monotonic() - start
    found = {"rate": (entries_of(server, promotion) - before) / min(took, seconds + 0.2),
             "requests": float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
             "p50_ms": milliseconds("50%", out),
             "p99_ms": milliseconds("99%", out),
             "latency_ms": milliseconds("Latency", out)}
    errors = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    found["refused"] = int(errors.group(1)) if errors else 0
    return found


def redis_incr(redis, connections):
    out = subprocess.run(["redis-benchmark", "-p", str(redis.port), "-t", "incr", "-c", str(connections),
                          "-n", "300000", "-q"], capture_output=True, text=True, check=True).stdout
    return float(re.findall(r"INCR: ([\d.]+) requests per second", out)[-1])


def copy_rate(postgres, promotion):
    """COPY of the very rows that hotrow wrote, in their order, into a table with the same indexes."""
    file = os.path.join(postgres.folder, "entries.copy")
    columns = postgres.sql("SELECT string_agg(quote_ident(attname), ',' ORDER BY attnum) FROM pg_attribute "
                           "WHERE attrelid = 'hotrow.entry'::regclass AND attnum > 0 AND NOT attisdropped")
    postgres.sql(f"COPY (SELECT {columns} FROM hotrow.entry WHERE promotion = '{promotion}' ORDER BY ordinal) "
                 f"TO '{file}'")
    postgres.sql("DROP TABLE IF EXISTS copied; CREATE TABLE copied (LIKE hotrow.entry INCLUDING ALL)")
    postgres.sql("CHECKPOINT")
    start = time.monotonic()
    postgres.sql(f"COPY copied ({columns}) FROM '{file}'")
    took = time.monotonic() - start
    rows = int(postgres.sql("SELECT count(*) FROM copied"))
    postgres.sql("DROP TABLE copied")
    return rows / took


def engine_rate(url, seconds):
    return float(subprocess.run([ENGINE_BENCH, url, str(seconds), "4096"], capture_output=True, text=True,
                                check=True).stdout)


def lone_pairs(postgres, server, seconds):
    """Mean latencies of one client, the two ways in turns: a machine's disk is not equally quick all the time."""
    pairs = []
    for turn in range(PAIRS):
        say(f"one connection: a lone request, {turn + 1} of {PAIRS}")
        pairs.append({"usual_ms": pgbench(postgres, 1, max(2, seconds // 2))["latency_ms"],
                      "hotrow_ms": wrk(server, create_promotion(server), 1, max(2, seconds // 2))["latency_ms"]})
    return pairs


def bulk_pairs(postgres, seconds):
    """(c) and (d), in turns: the engine writes entries, and COPY writes the very same rows."""
    pairs = []
    for turn in range(PAIRS):
        say(f"the engine in process and COPY of the same rows, {turn + 1} of {PAIRS}")
        engine = engine_rate(postgres.url(), seconds)
        promotion = postgres.sql("SELECT id FROM hotrow.promotion ORDER BY created_at DESC LIMIT 1")
        pairs.append({"engine": engine, "copy": copy_rate(postgres, promotion)})
    return pairs


def middle(values):
    return statistics.median(list(values))


def measure(seconds, folder):
    postgres, redis = Postgres(folder), Redis(folder)
    result = {"postgres": postgres.version(), "settings": PG_SETTINGS, "cores": os.cpu_count(), "rows": []}
    postgres.sql(USUAL_TABLES)
    on_postgres = Hotrow(folder, postgres.url(), "postgres", ["--migrate"])
    on_sqlite = Hotrow(folder, "sqlite:" + os.path.join(folder, "bench.db"), "sqlite")
    for connections in CONNECTIONS:
        row = {"connections": connections}
        say(f"{connections} connections: pgbench, four statements")
        row["a"] = pgbench(postgres, connections, seconds)
        say(f"{connections} connections: hotrow over HTTP on PostgreSQL")
        row["b"] = wrk(on_postgres, create_promotion(on_postgres), connections, seconds)
        say(f"{connections} connections: redis-benchmark INCR")
        row["e"] = redis_incr(redis, connections)
        say(f"{connections} connections: hotrow over HTTP on SQLite")
        row["f"] = wrk(on_sqlite, create_promotion(on_sqlite), connections, seconds)
        result["rows"].append(row)
        say(f"{connections} connections, a second: (a) {row['a']['rate']:,.0f}  (b) {row['b']['rate']:,.0f}  "
            f"(e) {row['e']:,.0f}  (f) {row['f']['rate']:,.0f}")
    result["lone"] = lone_pairs(postgres, on_postgres, seconds)
    result["bulk"] = bulk_pairs(postgres, seconds)
    result["hotrow_memory_mib"] = on_postgres.memory_mib()
    for server in (on_postgres, on_sqlite, redis, postgres):
        server.stop()
    return result


def at(result, connections):
    return next(row for row in result["rows"] if row["connections"] == connections)


def ratios(result):
    at_64, at_256 = at(result, 64), at(result, 256)
    lone, bulk = result["lone"], result["bulk"]
    return [
        ("(b) / (a) at 64 connections", at_64["b"]["rate"] / at_64["a"]["rate"], ">= 20"),
        ("(c) / (d)", middle(pair["engine"] / pair["copy"] for pair in bulk), ">= 0.5"),
        ("(b) / (e) at 64 connections", at_64["b"]["rate"] / at_64["e"], ">= 0.25"),
        ("(f) / (b) at 64 connections", at_64["f"]["rate"] / at_64["b"]["rate"], ">= 1"),
        ("p99 of (b) at 256 connections, ms", at_256["b"]["p99_ms"], "< 50"),
        ("a lone request: hotrow / plain transaction",
         middle(pair["hotrow_ms"] / pair["usual_ms"] for pair in lone), "<= 1.3"),
    ]


def print_tables(result):
    settings = ", ".join(f"{name} = {value}" for name, value in result["settings"].items())
    print(f"PostgreSQL {result['postgres']} ({settings}); {result['cores']} cores shared by server, database "
          "and load generator: only ratios within this run count.\n")
    print("| durable entries a second into one promotion | 16 | 64 | 256 |")
    print("|---|---:|---:|---:|")
    lines = (("(a) pgbench, lookup + lock + insert + update", lambda row: row["a"]["rate"]),
             ("(b) hotrow over HTTP, PostgreSQL", lambda row: row["b"]["rate"]),
             ("(f) hotrow over HTTP, SQLite", lambda row: row["f"]["rate"]),
             ("(e) Redis INCR, not durable", lambda row: row["e"]))
    for name, figure in lines:
        print(f"| {name} | " + " | ".join(f"{figure(row):,.0f}" for row in result["rows"]) + " |")
    print("| p99 of (b), ms | " + " | ".join(f"{row['b']['p99_ms']:.1f}" for row in result["rows"]) + " |")
    bulk = result["bulk"]
    print(f"\n(c) the engine in process, 4,096 outstanding: {middle(pair['engine'] for pair in bulk):,.0f} a second; "
          f"(d) COPY of the same rows: {middle(pair['copy'] for pair in bulk):,.0f}. "
          f"Where two ways are measured in turns, the median of {len(bulk)} ratios is told.\n")
    print("| ratio | here | wanted |")
    print("|---|---:|---:|")
    for name, value, wanted in ratios(result):
        print(f"| {name} | {value:.2f} | {wanted} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=6, help="length of each measurement")
    parser.add_argument("--long", action="store_true", help="also with 10 million entries, a held snapshot, "
                        "repeats, early birds and 10,000 idle connections")
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    with Folder() as folder:
        result = measure(options.seconds, folder)
    if options.long:
        from entries_long import measure_long, print_long
        with Folder() as folder:
            result["long"] = measure_long(options.seconds, folder)
    print_tables(result)
    if options.long:
        print_long(result["long"])
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=2)


if __name__ == "__main__":
    main()
