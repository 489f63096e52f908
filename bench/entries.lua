-- wrk: entries of distinct users into one promotion. Arguments after --: promotion, run prefix, repeat share
-- (how many of ten further requests repeat an earlier user, 0 to 10).
local threads = 0

function setup(thread)
  thread:set("thread_id", threads)
  threads = threads + 1
end

local function request_for(user)
  return wrk.format("POST", path, nil, '{"user_id":"' .. user .. '"}')
end

function init(args)
  path = "/v1/promotions/" .. args[1] .. "/entries"
  run = args[2]
  repeats = tonumber(args[3] or "0")
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
  if repeats > 0 and count > 0 and turn % (repeats + 1) ~= 0 then
    return request_for(user(math.random(count)))
  end
  count = count + 1
  return request_for(user(count))
end
