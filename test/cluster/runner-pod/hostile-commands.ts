import type { RedisClient } from "#adapters/redis/redis-client.ts";

/** The client library knows subscriptions by their names in lower case only. */
type Command = readonly [name: string, ...args: readonly string[]];

/** Commands that no user of a service has. */
const FORBIDDEN: readonly Command[] = [
  ["KEYS", "*"],
  ["SCAN", "0"],
  ["RANDOMKEY"],
  ["DBSIZE"],
  ["monitor"],
  ["CLIENT", "LIST"],
  ["CLIENT", "TRACKING", "on", "BCAST"],
  ["PUBSUB", "CHANNELS"],
  ["SLOWLOG", "GET"],
  ["MEMORY", "STATS"],
  ["CONFIG", "GET", "*"],
  ["ACL", "LIST"],
  ["ACL", "SETUSER", "attacker", "on", "nopass", "allkeys", "allcommands"],
  ["psubscribe", "*"],
  ["SCRIPT", "FLUSH"],
  ["EVAL", "return redis.call('KEYS', '*')", "0"],
  ["EVAL", "return redis.call('SCAN', '0')", "0"],
  ["EVAL", "return redis.call('PUBSUB', 'CHANNELS')", "0"],
  ["FLUSHALL"],
];

function commandsFor(key: string): readonly Command[] {
  return [
    ["GET", key],
    ["EVAL", "return redis.call('GET', KEYS[1])", "1", key],
    ["EVAL", "return redis.call('GET', ARGV[1])", "0", key],
    ["SET", key, "planted by the attacker"],
    ["XADD", key, "*", "planted", "by the attacker"],
    ["XRANGE", key, "-", "+"],
    ["PUBLISH", key, "planted by the attacker"],
    ["subscribe", key],
    ["DEL", key],
  ];
}

/** Redis's own words for a command, key or channel that its user may not use, also within a script. */
const REFUSED = /^NOPERM |^ERR The user executing the script can't |ACL failure in script/;

/**
 * Sends what the user may not, for the keys; returns each command that Redis did not refuse to the user. Each has its own
 * connection, because some change what a connection may send next.
 */
export async function commandAll(open: () => RedisClient, keys: readonly string[]) {
  const commands = [...keys.flatMap(commandsFor), ...FORBIDDEN];
  const reached: string[] = [];
  for (const [name, ...args] of commands) {
    const redis = open();
    const answer = await redis.call(name, ...args).then(
      (value) => JSON.stringify(value),
      (error: Error) => error.message,
    );
    redis.disconnect();
    if (!REFUSED.test(answer)) reached.push(`${name} ${args.join(" ")}: ${answer}`);
  }
  return { commands: commands.length, reached };
}

/** Whether the connection writes the log of a run and reads it, as a runner has to. */
export async function usesLog(redis: RedisClient, key: string): Promise<boolean> {
  const id = await redis.call("XADD", key, "*", "own", "entry");
  const entries = JSON.stringify(await redis.call("XRANGE", key, "-", "+"));
  await redis.call("DEL", key);
  return entries.includes(String(id));
}
