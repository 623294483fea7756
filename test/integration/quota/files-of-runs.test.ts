import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import { limitNamesOf } from "#ports/storage-limits/storage-limits.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createRunnerWorld } from "#test/helpers/worlds/runner-world.ts";

const LARGE = Buffer.alloc(300 * 1024, 7).toString("base64");

it("ends a run as failed whose answer has data that the user's files have no room for, and the next run works", async () => {
  verifies("quotas:stored-data-run");
  const storage = completeStorageLimits({ user: { artifactBytes: 100_000 } }, limitNamesOf("artifacts"));
  const artifactService = new InMemoryArtifactService({ clock: new FixedClock(), storage });
  const answer = { content: { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: LARGE } }] } };
  const world = await createRunnerWorld([answer, "well"], { artifactService });
  const { runId } = await world.start("draw");
  await world.read(runId);
  expect(await world.store.get(runId)).toMatchObject({ status: "failed", error: { reason: "QUOTA_EXCEEDED" } });
  expect(await world.texts()).toEqual(["user: draw", "app: QUOTA_EXCEEDED"]);
  const [stored] = await artifactService.readStored([{ scope: "user", name: "ada" }]);
  expect(stored).toEqual({ items: 0, bytes: 0 });
  const next = await world.start("write");
  await world.read(next.runId);
  expect((await world.store.get(next.runId))?.status).toBe("succeeded");
});
