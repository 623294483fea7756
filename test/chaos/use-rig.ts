import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { firestoreEmulatorMissing } from "#test/helpers/firestore-emulator.ts";
import { redisMissing } from "#test/helpers/redis-server.ts";
import { Episode } from "./episode.ts";
import { chaosSeed, SeededRandom } from "./random.ts";
import { ChaosRig, type RigOptions } from "./rig.ts";

const START_TIMEOUT_MS = 240_000;
const TEST_TIMEOUT_MS = 180_000;

/** Adds a test that has an episode of its own and ends with the check of all invariants. */
export type FaultTest = (title: string, body: (episode: Episode) => Promise<void>) => void;

/** Tests that share one rig, one after another. What is missing on this machine is said aloud. */
export function describeOnRig(options: RigOptions, define: (test: FaultTest, options: RigOptions) => void): void {
  const missing = redisMissing() ?? (options.store === "firestore" ? firestoreEmulatorMissing() : undefined);
  if (missing !== undefined) process.stderr.write(`The chaos tests on ${options.store} are skipped: ${missing}\n`);
  const seed = chaosSeed();
  describe.skipIf(missing !== undefined)(`the platform on ${options.store} (CHAOS_SEED=${seed})`, () => {
    let started: ChaosRig | undefined;
    let failures = 0;
    beforeAll(async () => {
      started = await ChaosRig.start(options);
    }, START_TIMEOUT_MS);
    afterEach(async () => started?.restore(), START_TIMEOUT_MS);
    afterAll(async () => {
      process.stderr.write(`On ${options.store}, CHAOS_SEED=${seed}, ${failures} failed. Faults: ${started?.faults}\n`);
      await started?.[Symbol.asyncDispose]();
    }, START_TIMEOUT_MS);

    define((title, body) => {
      it(
        title,
        async () => {
          if (started === undefined) throw new Error("The rig was not started.");
          const name = title.split(" ")[0]?.toLowerCase() ?? "";
          const episode = new Episode(started, name, new SeededRandom(seed));
          failures += 1;
          try {
            await body(episode);
            expect(await episode.violations()).toEqual([]);
          } catch (error) {
            keepLogs(started, `${options.store}-${name}-${seed}`);
            throw error;
          }
          failures -= 1;
        },
        TEST_TIMEOUT_MS,
      );
    }, options);
  });
}

/** Where `CHAOS_LOGS` names a folder: what the services have printed so far, of a test that failed. */
function keepLogs(rig: ChaosRig, name: string): void {
  const folder = process.env["CHAOS_LOGS"] ?? "";
  if (folder === "") return;
  mkdirSync(join(folder, name), { recursive: true });
  for (const { label, output } of rig.places) writeFileSync(join(folder, name, `${label.replace(" ", "-")}.log`), output);
}
