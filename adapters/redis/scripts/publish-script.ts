import { RedisScript } from "./redis-script.ts";

/** The cost of an entry for Redis besides its payload; it also limits the number of small batches. */
const BATCH_OVERHEAD_BYTES = 64;

/**
 * KEYS: log, head. ARGV: epoch, first number, last number, the position before the first (`epoch.n`), 1 if the run
 * continues an earlier attempt, 1 if the run ends, most bytes to keep, time to live in ms, channel, body, the channel
 * of the session if its watchers are to be notified.
 *
 * A batch's id in the log is its last entry's position, so the log can be read from any cursor. Each batch contains the
 * position of the entry before it: the position last written, or, if the publisher left a gap, the last one that is
 * missing. This lets the reader detect trimmed and lost entries. Returns 1 if the batch was written and 0 if it was
 * dropped.
 *
 * Positions are built from strings: Lua would print numbers over 10^14 in scientific form.
 */
export const PUBLISH_SCRIPT = new RedisScript(`
local head = redis.call('HMGET', KEYS[2], 'epoch', 'n', 'ended', 'bytes')
if head[3] then return 0 end
local epoch, from, to = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local link = ARGV[4]
if not head[1] then
  if from == 1 and ARGV[5] ~= '1' then link = '^' .. link end
else
  local lastEpoch, lastN = tonumber(head[1]), tonumber(head[2])
  if epoch < lastEpoch or (epoch == lastEpoch and to <= lastN) then return 0 end
  local expected = 1
  if epoch == lastEpoch then expected = lastN + 1 end
  if from <= expected then link = head[1] .. '.' .. head[2] end
end
local payload = link .. '\\n' .. ARGV[10]
local id = ARGV[1] .. '-' .. ARGV[3]
redis.call('XADD', KEYS[1], id, 'p', payload)
local size = #payload + ${BATCH_OVERHEAD_BYTES}
local bytes = (tonumber(head[4]) or 0) + size
local most = tonumber(ARGV[7])
while bytes > most do
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  if oldest[1] == id then
    bytes = size
    break
  end
  redis.call('XDEL', KEYS[1], oldest[1])
  bytes = bytes - #oldest[2][2] - ${BATCH_OVERHEAD_BYTES}
end
redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'n', ARGV[3], 'bytes', bytes)
if ARGV[6] == '1' then redis.call('HSET', KEYS[2], 'ended', '1') end
redis.call('PEXPIRE', KEYS[1], ARGV[8])
redis.call('PEXPIRE', KEYS[2], ARGV[8])
redis.call('PUBLISH', ARGV[9], payload)
if ARGV[11] ~= '' then redis.call('PUBLISH', ARGV[11], '') end
return 1
`);
