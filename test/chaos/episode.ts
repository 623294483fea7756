import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { ChaosClient } from "./chaos-client.ts";
import { checkRig, untilNone } from "./checks/check-rig.ts";
import { checkSession, type StoredSession } from "./checks/check-store.ts";
import { openRunsOf, openStore, readSession } from "./checks/open-store.ts";
import { Recorder } from "./checks/recorder.ts";
import type { ChaosRig } from "./rig/rig.ts";
import { RECOVERY_MS } from "./rig/rig-options.ts";

/** Number of sessions that are checked for being free. */
const MAX_PROBES = 6;

/** One test on the rig: its clients, their observations, and the checks afterwards. */
export class Episode {
  readonly rig: ChaosRig;
  readonly random: SeededRandom;
  readonly recorder = new Recorder();
  readonly #name: string;
  readonly #clients: ChaosClient[] = [];

  constructor(rig: ChaosRig, name: string, random: SeededRandom) {
    this.rig = rig;
    this.#name = name;
    this.random = random.fork(name);
  }

  client(name = "ada"): ChaosClient {
    const client = new ChaosClient(this.rig, this.recorder, `${name}-${this.#name}`);
    this.#clients.push(client);
    return client;
  }

  /**
   * Removes all faults, waits for the runs to end, and returns the violations of the invariants: I1 what a client
   * received is stored, once; I2 sequences have no gap; I3 readers get the stored order; I4 the state is the sum of its
   * changes; I5 every run has ended; I6 sessions are free; I7 Redis keeps nothing without an expiry; I8 processes do
   * not grow; I9 processes report no fault; I10 no user gets the text of another one.
   */
  async violations(): Promise<readonly string[]> {
    await this.rig.restore();
    // Connections that this process keeps for its next requests would count as the gateways'.
    for (const index of this.rig.replicas("gateway").keys()) this.rig.link("client-gateway", index).reset();
    const { store, close } = await openStore(this.rig);
    try {
      const { sessions, observations } = this.recorder;
      const problems: string[] = [];
      for (const session of sessions)
        problems.push(...(await untilNone(() => openRunsOf(store, session), RECOVERY_MS)));
      problems.push(...(await this.#checkFree()));
      for (const session of sessions) {
        const own = observations.filter((observation) => observation.session.id === session.id);
        problems.push(...checkSession(await readSession(store, session), own));
      }
      return [...problems, ...(await checkRig(this.rig, observations))];
    } finally {
      await close();
    }
  }

  async stored(session: Parameters<typeof readSession>[1]): Promise<StoredSession> {
    const { store, close } = await openStore(this.rig);
    try {
      return await readSession(store, session);
    } finally {
      await close();
    }
  }

  /** Lines that models and tools wrote for the message. */
  logOf(tag: string): readonly string[] {
    return this.rig.logLines().filter((line) => line.endsWith(` ${tag}`));
  }

  /** The runner that executes the run whose model wrote last. */
  runnerOf(tag: string): number {
    const pid = Number(this.logOf(tag).at(-1)?.split(" ")[0]);
    return this.rig.replicas("runner").findIndex((place) => place.pid === pid);
  }

  /** I6: a message that need not wait is accepted immediately. */
  async #checkFree(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const session of this.recorder.sessions.filter(({ appName }) => appName === "chaos").slice(0, MAX_PROBES)) {
      const client = this.#clients.find(({ user }) => user === session.userId);
      if (client === undefined) continue;
      const { status, reason } = await client.runUntilAnswered(session, [{ say: "free" }], { policy: "reject" });
      if (status !== 200) problems.push(`I6 session ${session.id} answers ${status} ${reason}`);
    }
    return problems;
  }
}
