"""The slower questions of script/bench auction --long: lists of a million listings, and a backlog at start."""

import http.client
import json
import os
import re
import statistics
import subprocess
import threading
import time

from auction import HERE, Market
from entries import say
from machines import Hotrow, Postgres

FILL = os.path.join(HERE, "large_market.sql")
LISTINGS = 1_000_000
BACKLOG = 100_000
# Off until asked for: then each statement's plan is written into the log, as the server's own sessions run it.
PLANS = {"shared_preload_libraries": "auto_explain", "auto_explain.log_analyze": "on",
         "auto_explain.log_buffers": "on", "auto_explain.log_nested_statements": "off"}
CONNECTIONS = 16
WANTED_MS = 20

# What players look at. "{n}" counts the calls, "{family}" and "{player}" are others with each.
LISTS = [
    ("active, by end", "/v1/listings"),
    ("by start price", "/v1/listings?sort=start_price"),
    ("by buyout price", "/v1/listings?sort=buyout_price"),
    ("newest", "/v1/listings?sort=newest"),
    ("a family, by end", "/v1/listings?family={family}"),
    ("a family, by start price", "/v1/listings?family={family}&sort=start_price"),
    ("a family, by buyout price", "/v1/listings?family={family}&sort=buyout_price"),
    ("a family, newest", "/v1/listings?family={family}&sort=newest"),
    ("a seller", "/v1/listings?seller_id={player}"),
    ("the busiest seller, newest", "/v1/listings?seller_id=player-0&sort=newest"),
    ("prices 100 to 1,000, by end", "/v1/listings?min_price=100&max_price=1000"),
    ("prices 5,000 to 5,050, by end", "/v1/listings?min_price=5000&max_price=5050"),
    ("one price, by end", "/v1/listings?min_price=71{n}&max_price=71{n}"),
    ("one price, newest", "/v1/listings?min_price=71{n}&max_price=71{n}&sort=newest"),
    ("from a price on, by start price", "/v1/listings?min_price=71{n}&sort=start_price"),
    ("from a price on, by buyout price", "/v1/listings?min_price=71{n}&sort=buyout_price"),
    ("a family, one price, by end", "/v1/listings?family={family}&min_price=71{n}&max_price=71{n}"),
    ("sold, by end", "/v1/listings?status=sold"),
    ("a player's bids", "/v1/players/{player}/bids"),
    ("a player's listings", "/v1/players/{player}/listings"),
    ("a player's items", "/v1/players/{player}/items"),
]


class Caller:
    """Asks on one kept connection."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def get(self, path):
        """The answer's body and how long it took, in ms."""
        start = time.perf_counter()
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        took = (time.perf_counter() - start) * 1000
        if answer.status != 200:
            raise SystemExit(f"bench: GET {path}: {answer.status} {body.decode()}")
        return body, took


def named(path, n):
    return path.format(n=n % 90 + 10, family=f"family-{n * n % 200 + 1}", player=f"player-{n * 997 % 50000}")


def times_of(caller, path, calls):
    return sorted(caller.get(named(path, n))[1] for n in range(calls))


def set_plans(postgres, value):
    postgres.sql(f"ALTER SYSTEM SET auto_explain.log_min_duration = {value}")
    postgres.sql("SELECT pg_reload_conf()")
    time.sleep(0.5)  # Each session takes it over before its next statement, once it is told.


def read_plans(text):
    """What the statements in this piece of the log came to together, the due worker's aside."""
    plans = re.findall(r"duration: ([\d.]+) ms  plan:\n((?:\t.*\n)*)", text)
    plans = [(float(ms), plan) for ms, plan in plans if "set_aside IS NULL" not in plan and "promotion" not in plan]
    whole = "".join(plan for _, plan in plans)
    pages = [re.search(r"Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?", plan) for _, plan in plans]
    return {"ms": sum(ms for ms, _ in plans), "text": whole,
            "scans": [index for index in re.findall(r"Scan(?: Backward)? using (\w+) on", whole)
                      if index != "market_pkey"],
            "sorts": "Sort" in whole, "reads_all": "Seq Scan" in whole,
            "pages": sum(int(count or 0) for found in pages if found for count in found.groups())}


def plans_of(postgres, caller, path, n):
    with open(postgres.log) as log:
        log.seek(0, os.SEEK_END)
        caller.get(named(path, n))
        time.sleep(0.05)  # The log is another process's.
        return read_plans(log.read())


def lists(postgres, server, calls):
    caller = Caller(server)
    trivial = statistics.median(times_of(caller, "/v1/players/nobody/wallet", calls))
    result = []
    for name, path in LISTS:
        times = times_of(caller, path, calls)
        result.append({"name": name, "path": path, "median_ms": statistics.median(times) - trivial,
                       "p99_ms": times[int(len(times) * 0.99)] - trivial})
    set_plans(postgres, 0)
    for row in result:
        plans = [plans_of(postgres, caller, row["path"], n) for n in range(5)]
        row["plan"] = sorted(plans, key=lambda plan: plan["ms"])[2]
    set_plans(postgres, -1)
    return result


def deep_page(server, pages=100):
    """The time of a page of 50 that comes after a hundred pages of a thousand."""
    caller = Caller(server)
    path, cursor = "/v1/listings?sort=start_price", ""
    for _ in range(pages):
        cursor = "&cursor=" + json.loads(caller.get(path + "&limit=1000" + cursor)[0])["next_cursor"]
    return statistics.median(caller.get(path + cursor)[1] for _ in range(20))


class Backlog:
    """Watches the server settle, on a thread of its own, until everything is settled."""

    def __init__(self, server):
        self.server = server
        self.start = time.monotonic()
        self.settled_after = None
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def settled(self):
        metrics = self.server.call("GET", "/metrics").decode()
        return int(float(re.search(r"^hotrow_listings_settled_total (\S+)", metrics, re.MULTILINE).group(1)))

    def watch(self):
        while self.settled() < BACKLOG:
            time.sleep(0.5)
        self.settled_after = time.monotonic() - self.start


def restarted(market, folder, name):
    """Seconds until a fresh server says that it is ready."""
    start = time.monotonic()
    market.server = Hotrow(folder, market.postgres.url(), name)
    return time.monotonic() - start


def end(postgres, count):
    """Makes `count` active listings have ended an hour ago."""
    postgres.sql(
        "UPDATE hotrow.listing SET ends_at = extract(epoch FROM now()) * 1000000 - 3600000000 - n FROM ("
        f"SELECT id AS chosen, row_number() OVER () AS n FROM hotrow.listing WHERE status = 'active' LIMIT {count}"
        ") AS due WHERE id = chosen")
    postgres.sql("VACUUM ANALYZE hotrow.listing")


def with_backlog(market, folder, seconds):
    """Bids on one live listing, on a server that starts with nothing to do and on one that starts with a backlog."""
    market.server.stop()
    ready = restarted(market, folder, "without-backlog")
    alone = market.bids(CONNECTIONS, seconds)
    market.server.stop()
    say(f"{BACKLOG:,} listings have ended")
    end(market.postgres, BACKLOG)
    ready_with = restarted(market, folder, "with-backlog")
    backlog = Backlog(market.server)
    beside = market.bids(CONNECTIONS, seconds)
    left = BACKLOG - backlog.settled()
    backlog.thread.join()
    return {"ready_s": ready, "ready_with_s": ready_with, "alone": alone, "beside": beside, "left_after_bids": left,
            "settled_s": backlog.settled_after}


def measure_long(seconds, folder):
    postgres = Postgres(folder, PLANS)
    market = Market(folder, postgres)
    say(f"writing {LISTINGS:,} listings")
    subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-v", f"listings={LISTINGS}", "-c",
                    "SET search_path TO hotrow", "-f", FILL, postgres.url()], check=True, stdout=subprocess.DEVNULL)
    say("their lists")
    result = {"lists": lists(postgres, market.server, 50), "deep_page_ms": deep_page(market.server)}
    result["backlog"] = with_backlog(market, folder, seconds)
    market.server.stop()
    postgres.stop()
    return result


def print_long(result):
    print(f"\n| first page of 50, of {LISTINGS:,} listings | median, ms | p99, ms | in the store, ms "
          "| pages of 8 kB | by |")
    print("|---|---:|---:|---:|---:|---|")
    for row in result["lists"]:
        plan = row["plan"]
        how = ", ".join(dict.fromkeys(plan["scans"])) + (", sorted" if plan["sorts"] else "")
        how += ", A WHOLE TABLE" if plan["reads_all"] else ""
        print(f"| {row['name']} | {row['median_ms']:.1f} | {row['p99_ms']:.1f} | {plan['ms']:.1f} | {plan['pages']:,} "
              f"| {how} |")
    slow = [row["name"] for row in result["lists"] if row["plan"]["ms"] >= WANTED_MS]
    print(f"\nWanted in the store: under {WANTED_MS} ms; {'slower: ' + '; '.join(slow) if slow else 'all are'}. Times "
          "are those of a call less those of one that reads a single row. A page of 50 by start price behind 100,000 "
          f"others: {result['deep_page_ms']:.1f} ms.\n")
    backlog = result["backlog"]
    print(f"| {BACKLOG:,} listings that ended before the start | without them | with them |")
    print("|---|---:|---:|")
    print(f"| ready after, s | {backlog['ready_s']:.2f} | {backlog['ready_with_s']:.2f} |")
    print(f"| bids on a live listing, accepted a second at {CONNECTIONS} connections | {backlog['alone']['rate']:,.0f} "
          f"| {backlog['beside']['rate']:,.0f} |")
    print(f"| their p99, ms | {backlog['alone']['p99_ms']:.1f} | {backlog['beside']['p99_ms']:.1f} |")
    print(f"\nAll settled after {backlog['settled_s']:.0f} s, {BACKLOG / backlog['settled_s']:,.0f} a second; "
          f"{backlog['left_after_bids']:,} were left when the bids ended.")
