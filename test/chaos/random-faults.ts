import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import type { LinkFault } from "#tooling/processes/fault-proxy.ts";
import type { Episode } from "./episode.ts";
import { failOverPostgres, killPostgres, restartPostgres, useUpPostgres } from "./rig/postgres-faults.ts";
import { EDGES, LEASE_MS } from "./rig/rig-options.ts";
import { pauseFor } from "./timing.ts";

const LINK_FAULTS: readonly LinkFault[] = [
  { kind: "latency", ms: 200 },
  { kind: "slices", bytes: 100 },
  { kind: "drop" },
  { kind: "half-open" },
  { kind: "refuse" },
];
const SERVICES = ["gateway", "runner", "session"] as const;

type Fault = (episode: Episode, random: SeededRandom) => Promise<void>;

const FAULTS: readonly Fault[] = [
  async ({ rig }, random) => {
    const service = random.pick(SERVICES);
    const index = random.between(0, rig.replicas(service).length - 1);
    await rig.kill(service, index);
    await pauseFor(random.between(0, 2000));
    await rig.restart(service, index);
  },
  async ({ rig }, random) => {
    const service = random.pick(SERVICES);
    const index = random.between(0, rig.replicas(service).length - 1);
    const code = await rig.terminate(service, index);
    if (code !== 0) rig.place(service, index).unexpectedEnds.push(`${service} ${index} ended with ${code}`);
    await rig.restart(service, index);
  },
  async ({ rig }, random) => {
    const service = random.pick(SERVICES);
    const index = random.between(0, rig.replicas(service).length - 1);
    rig.freeze(service, index);
    await pauseFor(random.between(200, 3 * LEASE_MS));
    rig.place(service, index).thaw();
  },
  async ({ rig }, random) => {
    const edge = random.pick(EDGES);
    rig.disturb(edge, random.pick(LINK_FAULTS));
    await pauseFor(random.between(100, 1500));
    rig.heal(edge);
  },
  async ({ rig }, random) => {
    rig.reset(random.pick(EDGES));
  },
  async ({ rig }, random) => rig.restartRedis(random.between(0, 1000)),
];

const POSTGRES_FAULTS: readonly Fault[] = [
  ({ rig }, random) => killPostgres(rig, random.between(0, 2000)),
  ({ rig }, random) => restartPostgres(rig, random.between(0, 1000)),
  ({ rig }, random) => useUpPostgres(rig, random.between(200, 3000)),
  ({ rig }, random) => failOverPostgres(rig, random.between(0, 1500)),
  async ({ rig }, random) => {
    rig.freezeDatabase();
    await pauseFor(random.between(200, 2 * LEASE_MS));
    rig.thawDatabase();
  },
];

/** Injects one fault after another until the signal, with pauses in between. */
export async function injectFaults(episode: Episode, signal: AbortSignal): Promise<void> {
  const random = episode.random.fork("faults");
  const faults = episode.rig.options.store === "postgres" ? [...FAULTS, ...POSTGRES_FAULTS] : FAULTS;
  while (!signal.aborted) {
    await random.pick(faults)(episode, random);
    await pauseFor(random.between(200, 2500));
  }
}
