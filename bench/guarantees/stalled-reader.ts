import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "../client.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";

/** 100 MB in chunks; the complete answer is short, so that only the stream is large. */
const WORDS = "n=5000 s=20000 brief=1";
const WATCH_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** The growth of the server's memory while its client reads, and while it does not. */
export async function stalledReader(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, 1);
  for (const id of ["warm", "read", "stalled"]) await client.createSession(id);
  // The first stream of this size leaves memory that is not the reader's.
  await client.runSse("warm", WORDS);
  const reading = await growthDuring(server, () => client.runSse("read", WORDS));
  const stalled = await growthDuring(server, () => stall(server, "stalled"));
  return { "reading, RSS growth MB": reading, "stalled, RSS growth MB": stalled };
}

/** The highest resident memory above its initial value. */
async function growthDuring(server: MeasuredServer, work: () => Promise<unknown>): Promise<number> {
  await pause(500);
  const before = server.residentMegabytes();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, server.residentMegabytes());
  }, LOOK_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

/** Opens the stream and reads only the head. */
async function stall({ url }: MeasuredServer, sessionId: string): Promise<void> {
  const body = JSON.stringify({
    appName: "bench",
    userId: "u",
    sessionId,
    newMessage: { role: "user", parts: [{ text: WORDS }] },
    streaming: true,
  });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const outgoing = request(`${url}/run_sse`, { method: "POST", headers });
  outgoing.on("response", (response) => response.on("error", () => undefined));
  outgoing.on("error", () => undefined);
  outgoing.end(body);
  await pause(WATCH_MS);
  outgoing.destroy();
}
