import { expect } from "vitest";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import { type ReceivedPush, startPushReceiver } from "#test/helpers/a2a/push-receiver.ts";

const SESSIONS = 12;
const RUNS = 3;
/** The webhook is known to both gateways. */
const KNOWN_MS = 6_000;
/** The leases of a lost gateway, and the looks of another one. */
const TAKEN_OVER_MS = 90_000;
/** Some messages are on their way at each moment. */
const ANSWER_MS = 200;
const HEADERS = { "content-type": "application/json" };

/** F31: messages to webhooks, whose gateways are killed. */
export function webhookSuite(test: FaultTest): void {
  test("F31 a gateway killed while it sends: each end is reported, in order, and repeats have the same id", async ({
    rig,
    random,
  }) => {
    await using receiver = await startPushReceiver((answer) => {
      setTimeout(() => answer.writeHead(204).end(), ANSWER_MS);
    });
    const userId = `f31-${random.between(1, 1_000_000)}`;
    const post = (gateway: number, path: string, body: object) =>
      fetch(`${rig.gatewayUrl(gateway)}${path}`, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });
    const made = await post(1, "/v1/webhooks", { url: receiver.url, userId, events: ["run.started", "run.succeeded"] });
    expect(made.status).toBe(201);
    await pauseFor(KNOWN_MS);
    const started: string[] = [];
    for (let turn = 0; turn < RUNS; turn += 1) {
      for (let session = 0; session < SESSIONS; session += 1) {
        const sessionId = `${userId}-${session}`;
        const text = JSON.stringify({ tag: `${sessionId}-${turn}`, log: rig.logFile, steps: [{ say: "answer" }] });
        const newMessage = { role: "user", parts: [{ text }] };
        if (turn === 0) await post(session % 2, `/apps/chaos/users/${userId}/sessions/${sessionId}`, {});
        const body = { appName: "chaos", userId, sessionId, newMessage, policy: "enqueue" };
        const answer = await post(session % 2, "/v1/runs", body);
        expect(answer.status).toBe(202);
        // The form of the answer is tested by itself.
        started.push(((await answer.json()) as { runId: string }).runId);
      }
    }
    const wanted = random.between(1, SESSIONS * RUNS);
    await eventually("some messages have arrived", async () => receiver.calls.length >= wanted, TAKEN_OVER_MS);
    await rig.kill("gateway", 0);
    const ends = () => new Set(receiver.calls.filter((call) => call.body["type"] === "run.succeeded").map(runOf));
    await eventually("all ends have arrived", async () => ends().size === started.length, TAKEN_OVER_MS);
    expect([...ends()].toSorted()).toEqual(started.toSorted());
    for (let session = 0; session < SESSIONS; session += 1) {
      const runs = started.filter((_, index) => index % SESSIONS === session);
      expect(firstsOf(receiver.calls, `${userId}-${session}`)).toEqual(
        runs.flatMap((runId) => [`run.started ${runId}`, `run.succeeded ${runId}`]),
      );
    }
    const ids = new Set(receiver.calls.map(({ headers }) => headers["webhook-id"]));
    const contents = new Set(receiver.calls.map(({ headers, text }) => `${headers["webhook-id"]} ${text}`));
    expect([ids.size, contents.size]).toEqual([2 * started.length, 2 * started.length]);
  });
}

type Data = Readonly<Record<"runId" | "sessionId", string>>;

function dataOf({ body }: ReceivedPush): Data {
  // The form of a message is tested by itself.
  return body["data"] as unknown as Data;
}

function runOf(call: ReceivedPush): string {
  return dataOf(call).runId;
}

/** The messages about the session, each where it arrived first. */
function firstsOf(calls: readonly ReceivedPush[], sessionId: string): readonly string[] {
  const about = calls.filter((call) => dataOf(call).sessionId === sessionId);
  return [...new Set(about.map((call) => `${String(call.body["type"])} ${runOf(call)}`))];
}
