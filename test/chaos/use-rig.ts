import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { firestoreEmulatorMissing } from "#tooling/emulators/firestore-emulator.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { redisMissing } from "#tooling/emulators/redis-server.ts";
import { Episode } from "./episode.ts";
import { ChaosRig } from "./rig/rig.ts";
import type { ChaosStore, RigOptions } from "./rig/rig-options.ts";

const START_TIMEOUT_MS = 240_000;
const TEST_TIMEOUT_MS = 180_000;

/** Adds a test with its own episode, which ends with the check of all invariants. */
export type FaultTest = (title: string, body: (episode: Episode) => Promise<void>, timeoutMs?: number) => void;

interface RigTests {
  /** Names of the tests that run with `CHAOS_SHORT=1`. */
  readonly short: readonly string[];
  readonly define: (test: FaultTest, options: RigOptions) => void;
}

/** Why a store cannot be started on this machine. */
const MISSING: Readonly<Record<ChaosStore, () => string | undefined>> = {
  firestore: firestoreEmulatorMissing,
  postgres: postgresMissing,
  sqlite: () => undefined,
};

/** Tests that share one rig, one after another. Reports what is missing on this machine. */
export function describeOnRig(options: RigOptions, { short, define }: RigTests): void {
  const missing = redisMissing() ?? MISSING[options.store]();
  const name = options.settings?.["TRANSPORT"] === "postgres" ? "postgres alone" : options.store;
  if (missing !== undefined) process.stderr.write(`The chaos tests on ${name} are skipped: ${missing}\n`);
  describe.skipIf(missing !== undefined)(`the platform on ${name} (SEED=${TEST_SEED})`, () => {
    let started: ChaosRig | undefined;
    let failures = 0;
    beforeAll(async () => {
      started = await ChaosRig.start(options);
      await warmUp(started);
    }, START_TIMEOUT_MS);
    afterEach(async () => started?.restore(), START_TIMEOUT_MS);
    afterAll(async () => {
      process.stderr.write(`On ${name}, SEED=${TEST_SEED}, ${failures} failed. Faults: ${started?.faults}\n`);
      await started?.[Symbol.asyncDispose]();
    }, START_TIMEOUT_MS);

    const isShort = process.env["CHAOS_SHORT"] === "1";
    define((title, body, timeoutMs = TEST_TIMEOUT_MS) => {
      it.skipIf(isShort && !short.includes(nameOf(title)))(
        title,
        async () => {
          if (started === undefined) throw new Error("The rig was not started.");
          const test = nameOf(title).toLowerCase();
          const episode = new Episode(started, test, new SeededRandom(TEST_SEED));
          failures += 1;
          try {
            await body(episode);
            expect(await episode.violations()).toEqual([]);
          } catch (error) {
            keepLogs(started, `${name}-${test}-${TEST_SEED}`);
            throw error;
          }
          failures -= 1;
        },
        timeoutMs,
      );
    }, options);
  });
}

function nameOf(title: string): string {
  return title.split(" ")[0] ?? "";
}

/** The first run of a process takes long, on a busy machine longer than some of the later limits. */
async function warmUp(rig: ChaosRig): Promise<void> {
  const client = new Episode(rig, "warm-up", new SeededRandom(1)).client();
  for (const gateway of [0, 1, 0, 1]) {
    const observation = await client.background(await client.createSession(), [{ say: "warm" }], { gateway });
    await client.follow(observation, gateway);
  }
}

/** If `CHAOS_LOGS` names a folder: writes the output of the services there for a test that failed. */
function keepLogs(rig: ChaosRig, name: string): void {
  const folder = process.env["CHAOS_LOGS"] ?? "";
  if (folder === "") return;
  mkdirSync(join(folder, name), { recursive: true });
  for (const { label, output } of rig.places)
    writeFileSync(join(folder, name, `${label.replace(" ", "-")}.log`), output);
}
