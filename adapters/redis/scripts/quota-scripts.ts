import { RedisScript } from "./redis-script.ts";

/**
 * KEYS: start of counting, then the places and the queue of each limit. ARGV: id of the place, its lease in ms, 1 if the
 * caller waits, how long a place in the queue is kept in ms, how long after a loss until all processes have reported their
 * places in ms, then the most places of each limit.
 *
 * Returns the position of the first limit that is full, or `taken`, or `unsure`: taken, but places of other processes may
 * be missing. Times are Redis's own. An existing place belongs to the caller: the command was sent twice.
 */
export const TAKE_PLACE_SCRIPT = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, lease, waits = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1'
local since = tonumber(redis.call('GET', KEYS[1]))
if not since then
  since = now
  redis.call('SET', KEYS[1], string.format('%.0f', now))
end
redis.call('PEXPIRE', KEYS[1], 2 * lease)
for i = 1, #ARGV - 5 do
  local places, queue, max = KEYS[2 * i], KEYS[2 * i + 1], tonumber(ARGV[5 + i])
  if not redis.call('ZSCORE', places, id) then
    redis.call('ZREMRANGEBYSCORE', places, '-inf', now)
    local count = redis.call('ZCARD', places)
    if not waits then
      redis.call('ZREMRANGEBYSCORE', queue, '-inf', now)
      count = count + redis.call('ZCARD', queue)
    end
    if count >= max then
      if waits then
        redis.call('ZADD', queue, now + ARGV[4], id)
        redis.call('PEXPIRE', queue, ARGV[4])
      end
      return i
    end
  end
end
for i = 1, #ARGV - 5 do
  redis.call('ZADD', KEYS[2 * i], now + lease, id)
  redis.call('PEXPIRE', KEYS[2 * i], lease)
  redis.call('ZREM', KEYS[2 * i + 1], id)
end
if now - since < tonumber(ARGV[5]) then return 'unsure' end
return 'taken'
`);

/**
 * KEYS: start of counting, the places of each limit. ARGV: the places' lease in ms, ids. Adds the places again that Redis
 * has lost.
 */
export const KEEP_PLACES_SCRIPT = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX')
redis.call('PEXPIRE', KEYS[1], 2 * lease)
for i = 2, #KEYS do
  for j = 2, #ARGV do redis.call('ZADD', KEYS[i], now + lease, ARGV[j]) end
  redis.call('PEXPIRE', KEYS[i], lease)
end
return #ARGV - 1
`);
