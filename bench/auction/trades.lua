-- wrk: commands of the auction house. Arguments after --: what, run prefix, and
--   create            lists new items, "<run>-<thread>-<n>", start price 100, buyout price 200
--   buyout BUYER      buys them, in the same order; BUYER is a player, or "any" of 500
--   bid LISTINGS SKEW bids on "<run>-hot-1" .. LISTINGS, chosen evenly (0) or by a Zipf law of that exponent
-- Amounts of bids are microseconds since the start, so that they rise across threads.
local ffi = require("ffi")
ffi.cdef [[ struct timespec { long tv_sec; long tv_nsec; }; int clock_gettime(int, struct timespec *); ]]
local threads = 0

function setup(thread)
  thread:set("thread_id", threads)
  threads = threads + 1
end

local at = ffi.new("struct timespec")
local function microseconds()
  ffi.C.clock_gettime(0, at)
  return tonumber(at.tv_sec) * 1000000 + math.floor(tonumber(at.tv_nsec) / 1000)
end

function init(args)
  what, run = args[1], args[2]
  buyer = args[3]
  listings, skew = tonumber(args[3] or "1"), tonumber(args[4] or "0")
  base = tonumber(args[5] or "0")
  n = 0
  math.randomseed(thread_id + 1)
  wrk.headers["Content-Type"] = "application/json"
  if what == "bid" and skew and skew > 0 then
    cumulated, sum = {}, 0
    for i = 1, listings do
      sum = sum + 1 / i ^ skew
      cumulated[i] = sum
    end
  end
end

local function chosen_listing()
  if not cumulated then return listings == 1 and 1 or math.random(listings) end
  local wanted, low, high = math.random() * sum, 1, listings
  while low < high do
    local middle = math.floor((low + high) / 2)
    if cumulated[middle] < wanted then low = middle + 1 else high = middle end
  end
  return low
end

local function post(path, body)
  wrk.headers["Idempotency-Key"] = run .. "-" .. what .. "-" .. thread_id .. "-" .. n
  return wrk.format("POST", path, nil, body)
end

function request()
  n = n + 1
  local own = run .. "-" .. thread_id .. "-" .. n
  if what == "create" then
    return post("/v1/listings", string.format(
      '{"id":"%s","seller_id":"player-%d","item":{"id":"%s","family":"swords"},"start_price":100,' ..
      '"buyout_price":200,"duration_seconds":86400}', own, n % 500, own))
  end
  if what == "buyout" then
    local player = buyer == "any" and "player-" .. math.random(500, 999) or buyer
    return post("/v1/listings/" .. own .. "/buyout", '{"buyer_id":"' .. player .. '"}')
  end
  return post("/v1/listings/" .. run .. "-hot-" .. chosen_listing() .. "/bids", string.format(
    '{"bidder_id":"player-%d","amount":%d}', math.random(500, 999), microseconds() - base))
end
