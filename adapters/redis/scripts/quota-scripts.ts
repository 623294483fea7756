import { RedisScript } from "./redis-script.ts";

/**
 * KEYS: start of counting, the app's places, the app's queue, the user's places, the user's queue. ARGV: id of the
 * place, its lease in ms, most places of the app, most of the user (0 for no limit), 1 if the caller waits, how long a
 * place in the queue is kept in ms, how long after a loss until all processes have reported their places in ms.
 *
 * Returns `app` or `user` if that is full, `taken`, or `unsure`: taken, but places of other processes may be missing.
 * Times are Redis's own. An existing place belongs to the caller: the command was sent twice.
 */
export const TAKE_PLACE_SCRIPT = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, lease, waits = ARGV[1], tonumber(ARGV[2]), ARGV[5] == '1'
local max = { tonumber(ARGV[4]), tonumber(ARGV[3]) }
local places, lines, names = { KEYS[4], KEYS[2] }, { KEYS[5], KEYS[3] }, { 'user', 'app' }
local since = tonumber(redis.call('GET', KEYS[1]))
if not since then
  since = now
  redis.call('SET', KEYS[1], string.format('%.0f', now))
end
redis.call('PEXPIRE', KEYS[1], 2 * lease)
for i = 1, 2 do
  if max[i] > 0 and not redis.call('ZSCORE', places[i], id) then
    redis.call('ZREMRANGEBYSCORE', places[i], '-inf', now)
    local count = redis.call('ZCARD', places[i])
    if not waits then
      redis.call('ZREMRANGEBYSCORE', lines[i], '-inf', now)
      count = count + redis.call('ZCARD', lines[i])
    end
    if count >= max[i] then
      if waits then
        redis.call('ZADD', lines[i], now + ARGV[6], id)
        redis.call('PEXPIRE', lines[i], ARGV[6])
      end
      return names[i]
    end
  end
end
for i = 1, 2 do
  if max[i] > 0 then
    redis.call('ZADD', places[i], now + lease, id)
    redis.call('PEXPIRE', places[i], lease)
    redis.call('ZREM', lines[i], id)
  end
end
if now - since < tonumber(ARGV[7]) then return 'unsure' end
return 'taken'
`);

/**
 * KEYS: start of counting, the app's places, the user's places. ARGV: the places' lease in ms, 1 if the app has a
 * limit, 1 if the user has one, ids. Adds the places again that Redis has lost.
 */
export const KEEP_PLACES_SCRIPT = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX')
redis.call('PEXPIRE', KEYS[1], 2 * lease)
for i = 2, 3 do
  if ARGV[i] == '1' then
    for j = 4, #ARGV do redis.call('ZADD', KEYS[i], now + lease, ARGV[j]) end
    redis.call('PEXPIRE', KEYS[i], lease)
  end
end
return #ARGV - 3
`);
