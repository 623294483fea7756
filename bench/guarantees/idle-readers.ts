import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Client, inParallel } from "../client.ts";
import type { PlatformProcesses } from "../platform/platform-processes.ts";
import type { Figures } from "../scenarios/scenario.ts";

const READERS = 10_000;
const SESSIONS = 100;
const AT_ONCE = 50;
/** V8 collects what the opening allocated after about half a minute of idleness. */
const SETTLE_MS = 45_000;

/** Memory of each service before and while so many clients read streams of idle sessions. */
export async function idleReaders(platform: PlatformProcesses): Promise<Figures> {
  using client = new Client(platform.url, AT_ONCE);
  await inParallel(SESSIONS, AT_ONCE, (index) => client.createSession(`idle-${index}`));
  const before = platform.residentOfServices();
  const sockets: Socket[] = [];
  try {
    await inParallel(READERS, AT_ONCE, async (index) => {
      sockets.push(await openReader(platform.url, `idle-${index % SESSIONS}`));
    });
    const opened = platform.residentOfServices();
    await pause(SETTLE_MS);
    const idle = platform.residentOfServices();
    return Object.fromEntries(
      Object.entries(idle).flatMap(([name, size]) => [
        [`${name} RSS MB before`, before[name] ?? Number.NaN],
        [`${name} RSS MB just opened`, opened[name] ?? Number.NaN],
        [`${name} RSS MB idle`, size],
      ]),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Opens a bare socket, so that this process needs little memory per reader. Resolves with the head of the answer. */
async function openReader(url: string, sessionId: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(`GET /v1/apps/bench/users/u/sessions/${sessionId}/stream HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  if (!head.subarray(0, 12).toString("latin1").endsWith(" 200"))
    throw new Error(`not a stream: ${head.toString("latin1").slice(0, 200)}`);
  socket.resume();
  return socket;
}
