import { parseArgs } from "node:util";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { Episode } from "./episode.ts";
import { injectFaults } from "./random-faults.ts";
import { keepAsking } from "./random-load.ts";
import { ChaosRig } from "./rig/rig.ts";
import { CHAOS_STORES, type ChaosStore } from "./rig/rig-options.ts";

const USAGE = `Random faults under load, and then the check of all invariants.

  node test/chaos/soak.ts [--minutes=N] [--seed=S] [--store=firestore|postgres|sqlite] [--users=N]`;

// Connections that a fault has left open must not keep the process alive.
process.exit(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "30" },
      seed: { type: "string", default: String(TEST_SEED) },
      store: { type: "string", default: "firestore" },
      users: { type: "string", default: "4" },
      help: { type: "boolean", default: false },
    },
  });
  const [minutes, seed, users] = [values.minutes, values.seed, values.users].map(Number);
  const store = CHAOS_STORES.find((known) => known === values.store);
  const areNumbers = [minutes, seed, users].every((number) => Number.isFinite(number) && (number ?? 0) > 0);
  if (values.help || !areNumbers || store === undefined) {
    say(USAGE);
    return values.help ? 0 : 1;
  }
  return soak({ minutes: minutes ?? 0, seed: seed ?? 0, users: users ?? 0, store });
}

interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly users: number;
  readonly store: ChaosStore;
}

async function soak({ minutes, seed, users, store }: SoakOptions): Promise<number> {
  say(`soak of ${minutes} min on ${store}, --seed=${seed}`);
  await using rig = await ChaosRig.start({ store });
  const episode = new Episode(rig, "soak", new SeededRandom(seed));
  const signal = AbortSignal.any([AbortSignal.timeout(minutes * 60_000), interrupted()]);
  const progress = setInterval(() => report(episode), 30_000);
  const asking = Array.from({ length: users }, (_, index) => {
    const name = `user${index}`;
    return keepAsking(episode.client(name), episode.random.fork(name), signal);
  });
  await injectFaults(episode, signal);
  await rig.restore();
  const answered = (await Promise.all(asking)).reduce((sum, count) => sum + count, 0);
  clearInterval(progress);
  const violations = await episode.violations();
  report(episode);
  say(`${answered} requests were answered well; ${violations.length} violations`);
  for (const violation of violations) say(`  ${violation}`);
  return violations.length === 0 && answered > 0 ? 0 : 1;
}

/** Ctrl-C ends the soak early, with its checks. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller.signal;
}

function report({ recorder, rig }: Episode): void {
  say(`${recorder.observations.length} requests, ${rig.faults.total} faults: ${rig.faults}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
