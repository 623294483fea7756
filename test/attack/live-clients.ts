import { once } from "node:events";
import { WebSocket } from "ws";
import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";

const MIB = 1024 * 1024;
/** How long a client stays, if nobody sends it away. */
const TALK_MS = 8000;
const FLOOD_BYTES = 100 * MIB;

const hello = (text = "hello"): string => JSON.stringify({ content: { role: "user", parts: [{ text }] } });
const sound = (): string => JSON.stringify({ blob: { mimeType: "audio/pcm;rate=16000", data: "A".repeat(32_000) } });

const CLIENTS = {
  reader: (socket) => socket.send(hello()),
  stalled: (socket) => {
    socket.send(hello());
    socket.pause();
  },
  talker: (socket) => flood(socket, sound),
  "endless writer": (socket) => flood(socket, () => hello("more ".repeat(10_000))),
  "sender of garbage": (socket, random) =>
    socket.send(
      random.pick(["{", "[]", "null", '{"content":7}', '{"blob":{}}', `{"stateDelta":${"[".repeat(5000)}`, ""]),
    ),
  "sender of bytes": (socket) => socket.send(Buffer.alloc(MIB)),
  "sender of one huge message": (socket) => socket.send(hello("x".repeat(40 * MIB))),
  "sender of an endless message": async (socket) => {
    for (let bytes = 0; bytes < FLOOD_BYTES && isOpen(socket); bytes += MIB) await sent(socket, "x".repeat(MIB), false);
  },
  "sender of a beginning": async (socket) => {
    for (let pieces = 0; pieces < 7 && isOpen(socket); pieces += 1) await sent(socket, "x".repeat(MIB / 2), false);
  },
  "sender of pings": async (socket) => {
    for (let count = 0; count < 20_000 && isOpen(socket); count += 1) {
      socket.ping("p".repeat(125));
      if (count % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  leaver: (socket) => {
    socket.send(hello());
    setTimeout(() => socket.terminate(), 20);
  },
} as const satisfies Readonly<Record<string, (socket: WebSocket, random: SeededRandom) => void | Promise<void>>>;

/** What a client of a live run does. */
export type LiveClientKind = keyof typeof CLIENTS;
// The names of the object above.
export const LIVE_CLIENTS = Object.keys(CLIENTS) as readonly LiveClientKind[];

/** Opens a live run, and resolves when the client has left or was sent away. */
export async function talk(url: URL, kind: LiveClientKind, random: SeededRandom): Promise<void> {
  const socket = new WebSocket(url.href.replace(/^http/, "ws"));
  socket.on("error", () => undefined);
  const closed = once(socket, "close").catch(() => undefined);
  const limit = setTimeout(() => socket.terminate(), TALK_MS);
  try {
    await Promise.race([once(socket, "open"), closed]);
    if (isOpen(socket)) await CLIENTS[kind](socket, random);
    await closed;
  } catch {
    socket.terminate();
  } finally {
    clearTimeout(limit);
  }
}

async function flood(socket: WebSocket, message: () => string): Promise<void> {
  for (let bytes = 0; bytes < FLOOD_BYTES && isOpen(socket); ) {
    const text = message();
    bytes += text.length;
    await sent(socket, text);
  }
}

function sent(socket: WebSocket, text: string, fin = true): Promise<void> {
  return new Promise((resolve) => {
    socket.send(text, { fin }, () => setImmediate(resolve));
  });
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN;
}
