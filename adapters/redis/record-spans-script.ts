import { RedisScript } from "./redis-script.ts";

/**
 * KEYS: the trace's spans, their size. ARGV: most spans, most bytes, time to live in ms, spans.
 *
 * Adds what fits and answers the place of the first one and how many were added. Spans beyond a bound are left out: places
 * that were given out stay true.
 */
export const RECORD_SPANS_SCRIPT = new RedisScript(`
local first = redis.call('LLEN', KEYS[1])
local bytes = tonumber(redis.call('GET', KEYS[2]) or '0')
local added = 0
for index = 4, #ARGV do
  local span = ARGV[index]
  if first + added >= tonumber(ARGV[1]) or bytes + #span > tonumber(ARGV[2]) then break end
  redis.call('RPUSH', KEYS[1], span)
  bytes = bytes + #span
  added = added + 1
end
redis.call('SET', KEYS[2], bytes, 'PX', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return { first, added }
`);

/**
 * KEYS: the session's traces. ARGV: most traces, time to live in ms, score, member.
 *
 * Keeps a trace's place and drops the oldest beyond the bound.
 */
export const LINK_TRACE_SCRIPT = new RedisScript(`
redis.call('ZADD', KEYS[1], 'NX', ARGV[3], ARGV[4])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[1]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** KEYS: an event's spans by app. ARGV: app, place of the span, time to live in ms. The newest is kept for all apps too. */
export const LINK_EVENT_SCRIPT = new RedisScript(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], '', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
`);
