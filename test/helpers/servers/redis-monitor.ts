import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const ARGUMENT = /"((?:[^"\\]|\\.)*)"/g;

/** What a Redis server executes, in order, from now on. */
export interface RedisMonitor extends AsyncDisposable {
  readonly commands: readonly (readonly string[])[];
  /** Forgets what was collected. */
  clear(): void;
}

/**
 * Collects the commands of the server at `url` (`redis://host:port`, without a password) with `MONITOR`. ioredis has a
 * monitor too, but takes a command that arrives in the same packet as the answer to `MONITOR` for an answer, and fails.
 */
export async function startRedisMonitor(url: string): Promise<RedisMonitor> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  const started = once(lines, "line");
  socket.write("MONITOR\r\n");
  let commands: (readonly string[])[] = [];
  lines.on("line", (line) => {
    if (line !== "+OK") commands.push(argumentsOf(line));
  });
  const [answer] = await started;
  if (answer !== "+OK") throw new Error(`Redis refused MONITOR: ${answer}`);
  return {
    get commands() {
      return commands;
    },
    clear() {
      commands = [];
    },
    async [Symbol.asyncDispose]() {
      lines.close();
      socket.destroy();
    },
  };
}

/** The arguments in a line such as `+1795795124.563541 [0 127.0.0.1:60194] "get" "key"`. */
function argumentsOf(line: string): readonly string[] {
  return [...line.matchAll(ARGUMENT)].map(([, text = ""]) => text.replace(/\\(["\\])/g, "$1"));
}
