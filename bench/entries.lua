-- wrk: entries of distinct users into one promotion. Arguments after --: promotion, run prefix, how many further
-- requests come with each entry, and where they knock: at another promotion, or, without one, again as an earlier
-- user.
local threads = 0

function setup(thread)
  thread:set("thread_id", threads)
  threads = threads + 1
end

local function entry(promotion, user)
  return wrk.format("POST", "/v1/promotions/" .. promotion .. "/entries", nil, '{"user_id":"' .. user .. '"}')
end

function init(args)
  promotion = args[1]
  run = args[2]
  further = tonumber(args[3] or "0")
  other = args[4]
  wrk.headers["Content-Type"] = "application/json"
  count = 0
  turn = 0
  math.randomseed(thread_id + 1)
end

-- Random and of real length, so that ids do not arrive in the order of the index.
local function user(n)
  return string.format("%08x-%s-%d-%d", (n * 2654435761) % 4294967296, run, thread_id, n)
end

function request()
  turn = turn + 1
  if further > 0 and count > 0 and turn % (further + 1) ~= 0 then
    if other then return entry(other, user(turn)) end
    return entry(promotion, user(math.random(count)))
  end
  count = count + 1
  return entry(promotion, user(count))
end
