import { RedisScript } from "./redis-script.ts";

/**
 * Of each count the scripts use two keys: a hash with the start of its window `w`, what is used in it `u` and what is
 * reserved `r`, and a sorted set of its reservations, `amount:id` by the time at which each expires.
 *
 * The common arguments: a lease in ms (0 for none), an id, the starts of four months of which the second contains the
 * caller's time. Arguments for each count follow, of which the first is the length of its window in ms, 0 for a
 * window of the moment and -1 for a month. Times are Redis's own.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease, id = tonumber(ARGV[1]), ARGV[2]
local COMMON = 6
local function int(number) return string.format('%.0f', number) end
local function bounds(length)
  if length == 0 then return 0, 0 end
  if length > 0 then
    local start = now - now % length
    return start, start + length
  end
  local start, finish = tonumber(ARGV[3]), tonumber(ARGV[4])
  for i = 4, 5 do
    if now >= tonumber(ARGV[i]) then start, finish = tonumber(ARGV[i]), tonumber(ARGV[i + 1]) end
  end
  return start, finish
end
local function write(state)
  if state.used == 0 and state.reserved == 0 then
    redis.call('DEL', state.hash)
    return
  end
  redis.call('HSET', state.hash, 'w', int(state.start), 'u', int(state.used), 'r', int(state.reserved))
  local keep = math.max(state.finish - now, 0) + lease + 60000
  redis.call('PEXPIRE', state.hash, int(math.max(keep, redis.call('PTTL', state.hash))))
end
local function read(index, width, from)
  local state = { hash = KEYS[from + 2 * index - 1], open = KEYS[from + 2 * index], at = COMMON + (index - 1) * width }
  state.start, state.finish = bounds(tonumber(ARGV[state.at + 1]))
  local found = redis.call('HMGET', state.hash, 'w', 'u', 'r')
  -- A later window is that of a clock which was set back, or of another Redis: what is used in it still counts.
  local window = tonumber(found[1] or '')
  state.used = window and window >= state.start and tonumber(found[2]) or 0
  state.reserved = tonumber(found[3] or '0') or 0
  local before = state.reserved
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', state.open, '-inf', now)) do
    state.reserved = math.max(state.reserved - tonumber(string.match(member, '^%d+')), 0)
  end
  redis.call('ZREMRANGEBYSCORE', state.open, '-inf', now)
  if redis.call('EXISTS', state.open) == 0 then state.reserved = 0 end
  if state.reserved ~= before then write(state) end
  return state
end
local function hold(state, amount, held)
  local isNew = redis.call('ZADD', state.open, now + lease, amount .. ':' .. held) == 1
  redis.call('PEXPIRE', state.open, int(math.max(lease + 60000, redis.call('PTTL', state.open))))
  return isNew
end
local function answer(head, states)
  for _, state in ipairs(states) do
    head[#head + 1] = int(state.used)
    head[#head + 1] = int(state.reserved)
    head[#head + 1] = int(math.max(state.finish - now, 0))
  end
  return head
end
`;

/**
 * KEYS: two of each count. ARGV of each count: window, limit, amount. With a lease the amounts are reserved, else they are
 * counted as used. Returns `{ taken or refused, position of the refused count, 1 if only reservations are in its way }`,
 * then what is used, reserved, and the ms to the end of the window, of each count. A repeated reservation is taken once;
 * amounts without a lease are counted at each repetition.
 */
export const TAKE_QUOTA_SCRIPT = new RedisScript(`${PRELUDE}
local states = {}
local refused, onlyReserved = 0, 0
for i = 1, #KEYS / 2 do
  local state = read(i, 3, 0)
  states[i] = state
  local max, amount = tonumber(ARGV[state.at + 2]), tonumber(ARGV[state.at + 3])
  state.known = lease > 0 and redis.call('ZSCORE', state.open, ARGV[state.at + 3] .. ':' .. id)
  local fits = state.used + state.reserved + amount <= max or (state.reserved == 0 and state.used < max)
  if refused == 0 and not state.known and not fits then
    refused = i
    if state.used < max then onlyReserved = 1 end
  end
end
if refused == 0 then
  for i, state in ipairs(states) do
    local amount = ARGV[state.at + 3]
    if lease > 0 then
      if hold(state, amount, id) then state.reserved = state.reserved + tonumber(amount) end
      write(state)
    elseif state.finish > 0 then
      state.used = math.min(state.used + tonumber(amount), 1e15)
      write(state)
    end
  end
end
return answer({ refused == 0 and 'taken' or 'refused', refused, onlyReserved }, states)
`);

/**
 * KEYS: a mark of the settled reservation, then two of each count. ARGV of each count: window, reserved amount, used
 * amount. Ends the reservation and counts what was used, once, also if it is repeated within the 10 minutes of the mark.
 * Returns 1, or 0 if it was settled before.
 */
export const SETTLE_QUOTA_SCRIPT = new RedisScript(`${PRELUDE}
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', 600000) then return 0 end
for i = 1, (#KEYS - 1) / 2 do
  local state = read(i, 3, 1)
  if redis.call('ZREM', state.open, ARGV[state.at + 2] .. ':' .. id) == 1 then
    state.reserved = math.max(state.reserved - tonumber(ARGV[state.at + 2]), 0)
  end
  if state.finish > 0 then state.used = math.min(state.used + tonumber(ARGV[state.at + 3]), 1e15) end
  write(state)
end
return 1
`);

/**
 * KEYS: two of each count. ARGV of each count: window, amount, id of the reservation. Renews reservations of one lease,
 * also those that Redis has lost.
 */
export const KEEP_QUOTA_SCRIPT = new RedisScript(`${PRELUDE}
for i = 1, #KEYS / 2 do
  local state = read(i, 3, 0)
  local amount = ARGV[state.at + 2]
  if hold(state, amount, ARGV[state.at + 3]) then state.reserved = state.reserved + tonumber(amount) end
  write(state)
end
return #KEYS / 2
`);

/** KEYS: two of each count. ARGV of each count: window. Returns what is used, reserved and the ms to the end of each. */
export const READ_QUOTA_SCRIPT = new RedisScript(`${PRELUDE}
local states = {}
for i = 1, #KEYS / 2 do states[i] = read(i, 1, 0) end
return answer({}, states)
`);
