#!/usr/bin/env python3
"""script/bench auction: bids and buyouts, next to the usual ways of doing them, on this one machine in one run."""

import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import time
import uuid

from entries import milliseconds, say
from machines import Folder, Hotrow, PG_SETTINGS, Postgres

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "auction")
CONNECTIONS = 64
RICH = 1_000_000_000_000


def pgbench(postgres, script, connections, seconds, hot=0):
    """Transactions a second with their latencies, from pgbench's own log of each."""
    log = os.path.join(postgres.folder, "log-" + uuid.uuid4().hex[:6])
    done = subprocess.run(
        ["pgbench", "-n", "-M", "prepared", "-c", str(connections), "-j", "2", "-T", str(seconds), "-l",
         "--log-prefix", log, "-D", f"n={postgres.used}", "-D", f"hot={hot}", "-f", os.path.join(HERE, script),
         "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres", "postgres"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: pgbench {script}: {done.stdout}{done.stderr}")
    per_client, times = {}, []
    for file in glob.glob(log + "*"):
        with open(file) as lines:
            for line in lines:
                client, _, microseconds = line.split()[:3]
                per_client[client] = per_client.get(client, 0) + 1
                times.append(int(microseconds))
        os.remove(file)
    if not times:
        raise SystemExit(f"bench: pgbench {script}: not one transaction in {seconds} s")
    if "buyout" in script:
        postgres.used += max(per_client.values()) + 1
    times.sort()
    return {"rate": len(times) / seconds, "latency_ms": statistics.fmean(times) / 1000,
            "p99_ms": times[int(len(times) * 0.99)] / 1000}


def wrk(server, connections, seconds, *arguments):
    out = subprocess.run(
        ["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s", "--latency", "--timeout",
         "20s", "-s", os.path.join(HERE, "trades.lua"), server.address, "--", *map(str, arguments)],
        capture_output=True, text=True, check=True).stdout
    return {"requests": float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
            "p99_ms": milliseconds("99%", out), "latency_ms": milliseconds("Latency", out)}


class Market:
    """A server on PostgreSQL with a thousand rich players."""

    def __init__(self, folder, postgres):
        self.postgres = postgres
        self.server = Hotrow(folder, postgres.url(), "postgres", ["--migrate"])
        for n in range(1000):
            self.post(f"/v1/players/player-{n}/wallet/deposits", {"amount": RICH})

    def post(self, path, body):
        return self.server.call("POST", path, json.dumps(body).encode(), {"Idempotency-Key": uuid.uuid4().hex})

    def list_hot(self, run, count):
        for n in range(1, count + 1):
            self.post("/v1/listings", {
                "id": f"{run}-hot-{n}", "seller_id": "player-0", "item": {"id": f"{run}-hot-{n}", "family": "swords"},
                "start_price": 1, "duration_seconds": 86400})

    def count(self, what):
        return int(self.postgres.sql(f"SELECT {what}"))

    def bids(self, connections, seconds, listings=1, skew=0):
        """Accepted bids a second; refused ones (overtaken on the way) do not count."""
        run = uuid.uuid4().hex[:6]
        self.list_hot(run, listings)
        accepted = f"coalesce(sum(bids), 0) FROM hotrow.listing WHERE id LIKE '{run}-%'"
        base = int(time.time() * 1e6) - 1_000_000
        found = wrk(self.server, connections, seconds, "bid", run, listings, skew, base)
        found["rate"] = self.count(accepted) / seconds
        return found

    def create(self, connections, seconds):
        run = uuid.uuid4().hex[:6]
        found = wrk(self.server, connections, seconds, "create", run)
        return run, found

    def buyouts(self, connections, seconds, buyer="any"):
        run, _ = self.create(connections, seconds * 2)
        found = wrk(self.server, connections, seconds, "buyout", run, buyer)
        sold = f"count(*) FROM hotrow.listing WHERE status = 'sold' AND id LIKE '{run}-%'"
        found["rate"] = self.count(sold) / seconds
        return found

    def bytes_of(self, work, count):
        """WAL and table bytes for each row that `count` counts."""
        size = ("sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
                "WHERE nspname = 'hotrow' AND relkind = 'r'")
        lsn = "pg_current_wal_lsn() - '0/0'"
        self.postgres.sql("CHECKPOINT")
        before = self.count(lsn), self.count(size), self.count(count)
        work()
        after = self.count(lsn), self.count(size), self.count(count)
        rows = max(1, after[2] - before[2])
        return {"wal": (after[0] - before[0]) / rows, "tables": (after[1] - before[1]) / rows}


def measure(seconds, folder, turns, zipf_listings):
    postgres = Postgres(folder)
    postgres.used = 0
    result = {"postgres": postgres.version(), "settings": PG_SETTINGS, "cores": os.cpu_count(), "pairs": []}
    with open(os.path.join(HERE, "usual_tables.sql")) as text:
        subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", postgres.url()], stdin=text, check=True)
    market = Market(folder, postgres)
    for turn in range(turns):
        say(f"bids on one listing, buyouts by anybody and by one buyer, {turn + 1} of {turns}")
        result["pairs"].append({
            "bid": {"a": pgbench(postgres, "bid.sql", CONNECTIONS, seconds),
                    "a2": pgbench(postgres, "bid_duty.sql", CONNECTIONS, seconds),
                    "b": market.bids(CONNECTIONS, seconds)},
            "buyout": {"a": pgbench(postgres, "buyout.sql", CONNECTIONS, seconds),
                       "a2": pgbench(postgres, "buyout_duty.sql", CONNECTIONS, seconds),
                       "b": market.buyouts(CONNECTIONS, seconds)},
            "hot_buyer": {"a": pgbench(postgres, "buyout.sql", CONNECTIONS, seconds, hot=1),
                          "b": market.buyouts(CONNECTIONS, seconds, "player-999")},
            "lone": {"a": pgbench(postgres, "bid.sql", 1, seconds), "b": market.bids(1, seconds)}})
    say(f"bids on {zipf_listings:,} listings by a Zipf law")
    result["zipf"] = market.bids(CONNECTIONS, seconds, zipf_listings, 1)
    say("bytes")
    result["bytes"] = {
        "bid": market.bytes_of(lambda: market.bids(CONNECTIONS, seconds), "count(*) FROM hotrow.bid"),
        "listing": market.bytes_of(lambda: result.update(run=market.create(CONNECTIONS, seconds)[0]),
                                   "count(*) FROM hotrow.listing"),
        "sale": market.bytes_of(lambda: wrk(market.server, CONNECTIONS, seconds, "buyout", result["run"], "any"),
                                "count(*) FROM hotrow.listing WHERE status = 'sold'")}
    market.server.stop()
    postgres.stop()
    return result


def middle(result, figure):
    return statistics.median(figure(pair) for pair in result["pairs"])


def ratio(result, what, other, figure="rate"):
    return middle(result, lambda pair: pair[what]["b"][figure] / pair[what][other][figure])


def ratios(result):
    return [("bids on one listing: (b) / (a)", ratio(result, "bid", "a"), ">= 10"),
            ("buyouts by one hot buyer: (b) / (a)", ratio(result, "hot_buyer", "a"), ">= 8"),
            ("buyouts of random listings: (b) / (a)", ratio(result, "buyout", "a"), ">= 1.5"),
            ("buyouts of random listings: (b) / (a2)", ratio(result, "buyout", "a2"), ">= 3"),
            ("p99 of bids: (b) / (a)", ratio(result, "bid", "a", "p99_ms"), "<= 1"),
            ("p99 of random buyouts: (b) / (a)", ratio(result, "buyout", "a", "p99_ms"), "<= 1"),
            # Of one client that waits for each answer the latency is the rate's inverse.
            ("a single client's bid: latency (b) / (a)",
             middle(result, lambda pair: pair["lone"]["a"]["rate"] / pair["lone"]["b"]["rate"]), "<= 1.5")]


def print_tables(result):
    settings = ", ".join(f"{name} = {value}" for name, value in result["settings"].items())
    print(f"PostgreSQL {result['postgres']} ({settings}); {result['cores']} cores shared by server, database and load "
          f"generator: only ratios within this run count. Medians of {len(result['pairs'])} turns.\n")
    print(f"| a second, {CONNECTIONS} connections | bids on one listing | buyouts, anybody | buyouts, one buyer |")
    print("|---|---:|---:|---:|")
    ways = (("(a) pgbench, the write-up's SQL on bare tables", "a"), ("(a2) pgbench, the same duty by hand", "a2"),
            ("(b) hotrow over HTTP", "b"))
    for name, way in ways:
        cells = [f"{middle(result, lambda pair: pair[what][way]['rate']):,.0f}"
                 if way in result["pairs"][0][what] else "" for what in ("bid", "buyout", "hot_buyer")]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\n| ratio | here | wanted |")
    print("|---|---:|---:|")
    for name, value, wanted in ratios(result):
        print(f"| {name} | {value:.2f} | {wanted} |")
    print(f"\nBids on many listings by a Zipf law: {result['zipf']['rate']:,.0f} accepted a second "
          f"({result['zipf']['requests']:,.0f} requests).\n")
    print("| bytes | WAL | tables and indexes |")
    print("|---|---:|---:|")
    for what, figures in result["bytes"].items():
        print(f"| a {what} | {figures['wal']:,.0f} | {figures['tables']:,.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=5, help="length of each measurement")
    parser.add_argument("--turns", type=int, default=3, help="how often the ways are measured in turns")
    parser.add_argument("--zipf", type=int, default=10_000, help="listings of the Zipf measurement")
    parser.add_argument("--long", action="store_true", help="also lists of a million listings, and a backlog at start")
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    with Folder() as folder:
        result = measure(options.seconds, folder, options.turns, options.zipf)
    if options.long:
        from auction_long import measure_long, print_long
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
