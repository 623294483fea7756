import { Cluster } from "ioredis";
import type { RedisClient } from "../redis-client.ts";
import { RedisScript } from "./redis-script.ts";

/** How long a repeated write of spans is recognised: far longer than a client waits for an answer. */
const REPEAT_MS = 60_000;

/** One write of a trace. Its keys share a slot of a cluster; `kind` and `args` are those of the script. */
export interface TraceWrite {
  readonly kind: "spans" | "member" | "event";
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/**
 * KEYS: those of all writes, in order. ARGV: for each write its kind, the number of its arguments, and these.
 *
 * `spans`, keys: the trace's spans, their size, this write; arguments: most spans, most bytes, time to live in ms,
 * spans. Adds the spans that fit; the rest are left out. A repeated write adds nothing.
 *
 * `member`, key: a sorted set; arguments: most members, time to live in ms, score, member. Adds the member without
 * changing the position of an existing one, and drops the oldest beyond the limit.
 *
 * `event`, key: an event's spans by reader; arguments: time to live in ms, then readers and spans in turn. Keeps the
 * newest span for each reader.
 */
const TRACE_SCRIPT = new RedisScript(`
local key, at = 1, 1
while at <= #ARGV do
  local kind, last = ARGV[at], at + 1 + tonumber(ARGV[at + 1])
  local name, first = KEYS[key], at + 2
  if kind == 'spans' then
    if redis.call('SET', KEYS[key + 2], '', 'NX', 'PX', ${REPEAT_MS}) then
      local count = redis.call('LLEN', name)
      local bytes = tonumber(redis.call('GET', KEYS[key + 1]) or '0')
      for index = first + 3, last do
        local span = ARGV[index]
        if count >= tonumber(ARGV[first]) or bytes + #span > tonumber(ARGV[first + 1]) then break end
        redis.call('RPUSH', name, span)
        count, bytes = count + 1, bytes + #span
      end
      redis.call('SET', KEYS[key + 1], bytes, 'PX', ARGV[first + 2])
      redis.call('PEXPIRE', name, ARGV[first + 2])
    end
    key = key + 3
  elseif kind == 'member' then
    redis.call('ZADD', name, 'NX', ARGV[first + 2], ARGV[first + 3])
    redis.call('ZREMRANGEBYRANK', name, 0, -tonumber(ARGV[first]) - 1)
    redis.call('PEXPIRE', name, ARGV[first + 1])
    key = key + 1
  else
    redis.call('HSET', name, unpack(ARGV, first + 1, last))
    redis.call('PEXPIRE', name, ARGV[first])
    key = key + 1
  end
  at = last + 1
end
`);

/** Makes the writes with one call of a single server, and with one call for each of them in a cluster. */
export async function writeTrace(redis: RedisClient, writes: readonly TraceWrite[]): Promise<void> {
  const calls = redis instanceof Cluster ? writes.map((write) => [write]) : [writes];
  await Promise.all(calls.map((call) => callScript(redis, call)));
}

async function callScript(redis: RedisClient, writes: readonly TraceWrite[]): Promise<void> {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  for (const write of writes) {
    keys.push(...write.keys);
    args.push(write.kind, write.args.length, ...write.args);
  }
  await TRACE_SCRIPT.run(redis, keys, args);
}
