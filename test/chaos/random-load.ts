import type { SessionKey } from "#kit/sessions/session.ts";
import type { ScriptStep } from "#test/fixtures/chaos-agents/chaos/script.ts";
import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import type { ChaosClient } from "./chaos-client.ts";
import type { Observation } from "./checks/recorder.ts";
import { pauseFor } from "./timing.ts";

const SESSIONS_PER_CLIENT = 4;
const MAX_REQUESTS = 20_000;

type Ask = (client: ChaosClient, session: SessionKey, random: SeededRandom) => Promise<Observation>;

const SCRIPTS: readonly (readonly ScriptStep[])[] = [
  [{ say: "short" }],
  [{ say: "streamed", chunks: 15, pauseMs: 40 }],
  [{ call: [{ name: "count" }, { name: "append_again" }] }, { say: "with tools", chunks: 5, pauseMs: 20 }],
  [{ call: [{ name: "append_once", args: { waitMs: 300 } }] }, { call: [{ name: "count" }] }, { say: "after" }],
  [{ fail: 500, chunks: 3 }],
  [{ garbage: "empty" }],
];

const ASKS: readonly Ask[] = [
  (client, session, random) =>
    client.runUntilAnswered(session, random.pick(SCRIPTS), { gateway: random.between(0, 1) }),
  (client, session, random) => client.stream(session, random.pick(SCRIPTS), { gateway: random.between(0, 1) }),
  async (client, session, random) => {
    const gateway = random.between(0, 1);
    const observation = await client.background(session, random.pick(SCRIPTS), { gateway });
    return observation.runId === undefined ? observation : client.follow(observation, 1 - gateway);
  },
  (client, session, random) =>
    client.run(session, random.pick(SCRIPTS), { policy: random.pick(["reject", "interrupt"]) }),
];

/** One user who sends one message after another until the signal. Returns how many were answered successfully. */
export async function keepAsking(client: ChaosClient, random: SeededRandom, signal: AbortSignal): Promise<number> {
  const sessions: SessionKey[] = [];
  let answered = 0;
  for (let asked = 0; asked < MAX_REQUESTS && !signal.aborted; asked += 1) {
    if (sessions.length < SESSIONS_PER_CLIENT) sessions.push(await client.createSession());
    const { status } = await random.pick(ASKS)(client, random.pick(sessions), random);
    if (status === 200 || status === 202) answered += 1;
    await pauseFor(random.between(0, 50));
  }
  return answered;
}
