import { RedisScript } from "./redis-script.ts";

/** How long a repeated script call is recognised: far longer than a client waits for an answer. */
const REPEAT_MS = 60_000;

/**
 * KEYS: the trace's spans, their size, the answer to this call. ARGV: most spans, most bytes, time to live in ms,
 * spans.
 *
 * Adds the spans that fit and returns the index of the first one and how many were added. Spans beyond a limit are left
 * out, so that issued indexes stay valid. A repeated call gets its first answer again.
 */
export const RECORD_SPANS_SCRIPT = new RedisScript(`
local answer = redis.call('GET', KEYS[3])
if answer then
  local place, count = string.match(answer, '(%d+) (%d+)')
  return { tonumber(place), tonumber(count) }
end
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
redis.call('SET', KEYS[3], first .. ' ' .. added, 'PX', ${REPEAT_MS})
return { first, added }
`);

/**
 * KEYS: the session's traces. ARGV: most traces, time to live in ms, score, member.
 *
 * Adds a trace without changing the position of an existing one, and drops the oldest beyond the limit.
 */
export const LINK_TRACE_SCRIPT = new RedisScript(`
redis.call('ZADD', KEYS[1], 'NX', ARGV[3], ARGV[4])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[1]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/**
 * KEYS: an event's spans by reader. ARGV: index of the span, time to live in ms, readers. Keeps the newest span for
 * each reader.
 */
export const LINK_EVENT_SCRIPT = new RedisScript(`
for index = 3, #ARGV do
  redis.call('HSET', KEYS[1], ARGV[index], ARGV[1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);
