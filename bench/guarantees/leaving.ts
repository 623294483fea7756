import { type ClientRequest, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Client, percentile } from "../client.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";

const RUNS = 30;
const LOOK_EVERY_MS = 2;
const GIVE_UP_MS = 10_000;

/**
 * Time from a client's leaving in the middle of a stream until its run's record is cancelled, after the model was
 * stopped.
 */
export async function leaving(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, 1);
  const times: number[] = [];
  for (let count = 0; count < RUNS; count += 1) {
    const sessionId = `leaving-${count}`;
    await client.createSession(sessionId);
    const { outgoing, runId } = await firstPieceOf(server.url, sessionId);
    const left = performance.now();
    outgoing.destroy();
    await untilCancelled(`${server.url}/v1/runs/${runId}`, left);
    times.push(performance.now() - left);
  }
  return { "p50 ms": percentile(times, 0.5), "most ms": Math.max(...times) };
}

function firstPieceOf(url: string, sessionId: string): Promise<{ outgoing: ClientRequest; runId: string }> {
  const body = JSON.stringify({
    appName: "bench",
    userId: "u",
    sessionId,
    newMessage: { role: "user", parts: [{ text: "n=1000 d=20 s=20" }] },
    streaming: true,
  });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/run_sse?on_disconnect=cancel`, { method: "POST", headers }, (response) => {
      response.on("error", () => undefined);
      response.once("data", () => resolve({ outgoing, runId: String(response.headers["x-run-id"]) }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function untilCancelled(url: string, since: number): Promise<void> {
  while (performance.now() - since < GIVE_UP_MS) {
    const answer = await fetch(url);
    // The form of the run's record.
    const { status } = (await answer.json()) as { readonly status?: string };
    if (status === "cancelled") return;
    if (status !== "running") throw new Error(`the run is ${status}`);
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`the run was not cancelled within ${GIVE_UP_MS / 1000} s`);
}
