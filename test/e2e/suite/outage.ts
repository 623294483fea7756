import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { GatewayClient, messageOf } from "./gateway-client.ts";

// node outage.ts URL [--service=session]: requests that need this service, one after the other, until standard input
// ends; then prints the longest time without an answer as one line of JSON. Needs nothing but Node and the client beside it.

export interface OutageReport {
  readonly answered: number;
  readonly refused: number;
  /** The longest time from a request that failed to the next answer, in milliseconds; 0 if none failed. */
  readonly longestMs: number;
  /** When that answer came, in milliseconds since the epoch. */
  readonly backAt: number;
  /** Why requests failed, each reason once. */
  readonly reasons: readonly string[];
}

const PAUSE_MS = 50;
/** A client that waits for longer would not notice when the service is back. */
const PATIENCE_MS = 1_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { service: { type: "string", default: "session" } },
});
const client = new GatewayClient(positionals[0] ?? "http://127.0.0.1:8000", (url, init) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }),
);
const talk = await client.newTalk("bench", "outage");
const path = `/apps/bench/users/outage`;

const REQUESTS: Readonly<Record<string, () => Promise<unknown>>> = {
  artifact: () => client.json("GET", `${path}/sessions/${talk.sessionId}/artifacts`),
  memory: () => client.json("PATCH", `${path}/memory`, { session_id: talk.sessionId }),
  eval: () => client.json("GET", "/apps/bench/eval_sets"),
};
/** A new session, and a turn in it: what gateways, runners and the session service do together. */
const turn = async (): Promise<unknown> =>
  client.json("POST", "/run", messageOf(await client.newTalk("bench", "outage"), "small=1"));
const request = REQUESTS[values.service] ?? turn;

let isEnding = false;
process.stdin.on("end", () => {
  isEnding = true;
});
process.stdin.resume();

let [answered, refused, longestMs, backAt] = [0, 0, 0, 0];
let failedAt: number | undefined;
const reasons = new Set<string>();
while (!isEnding || failedAt !== undefined) {
  const begun = Date.now();
  try {
    await request();
    answered += 1;
    const outage = failedAt === undefined ? 0 : Date.now() - failedAt;
    if (outage > longestMs) [longestMs, backAt] = [outage, Date.now()];
    failedAt = undefined;
  } catch (error) {
    refused += 1;
    failedAt ??= begun;
    reasons.add(String(error).slice(0, 100));
  }
  await pause(PAUSE_MS);
}
const report: OutageReport = { answered, refused, longestMs, backAt, reasons: [...reasons].slice(0, 5) };
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);
