import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { type StreamStep, StreamWorld, withoutGapRepair } from "./stream-world.ts";

const steps = fc.array(fc.constantFrom<StreamStep>("publish", "publish", "cut", "heal"), { maxLength: 12 });

describe.skipIf(whyNoRedis() !== undefined)(
  `a stream whose link is cut (SEED=${TEST_SEED})`,
  { timeout: 120_000 },
  () => {
    it("gives each entry once and in order, whenever the link is cut", async () => {
      await using world = await StreamWorld.open();
      await fc.assert(
        fc.asyncProperty(steps, (history) => world.play(history, 20_000)),
        { numRuns: 25, examples: [[["cut", "publish", "publish", "heal", "publish"]]] },
      );
    });

    it("shows a stream that does not fill its gaps", async () => {
      await using world = await StreamWorld.open(withoutGapRepair);
      const property = fc.asyncProperty(steps, (history) => world.play(history, 3000));
      const settings = {
        numRuns: 25,
        endOnFailure: true,
        examples: [[["cut", "publish", "publish", "heal", "publish"]]],
      } satisfies fc.Parameters<[StreamStep[]]>;
      await expect(fc.assert(property, settings)).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/^I3 the reader /) },
      });
    });
  },
);
