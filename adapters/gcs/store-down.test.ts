import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { ASKED_FILE, artifactOutcomes, unavailable } from "#test/helpers/faults/artifact-outcomes.ts";
import { createGcsArtifactService } from "./create-gcs-artifact-service.ts";

/** A store that handles each request with the listener, and a service on it. */
async function startStore(listener: RequestListener, deadlineMs = 10_000) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const waits: number[] = [];
  const service = createGcsArtifactService({
    bucketName: "secret-bucket",
    apiEndpoint: `http://127.0.0.1:${port}`,
    clock: new FixedClock(),
    ids: new SequentialIds("save"),
    deadlineMs,
    sleep: async (delayMs) => void waits.push(delayMs),
  });
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { service, waits, stop, [Symbol.asyncDispose]: async () => void (server.listening && (await stop())) };
}

function answer(status: number): RequestListener {
  return (request, response) => {
    request.resume();
    const error = { code: status, message: "secret-bucket and secret-name" };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  };
}

describe("GcsArtifactService without its store", () => {
  it("reports that a stopped store cannot be reached", async () => {
    await using store = await startStore(answer(500));
    await store.stop();
    const expected = unavailable("The artifact store cannot be reached, or its answer was broken off. Try again.");
    expect(await artifactOutcomes(store.service)).toEqual(Array.from({ length: 8 }, () => expected));
  });

  it("gives up on a store that does not answer", async () => {
    await using store = await startStore(() => {}, 30);
    const expected = unavailable("The artifact store did not answer in time. Try again.");
    expect(await artifactOutcomes(store.service)).toEqual(Array.from({ length: 8 }, () => expected));
  });

  for (const [status, message] of [
    [401, "The artifact store does not accept this server's credentials. The operator must renew them."],
    [
      403,
      "The artifact store denies this server access. The operator must grant its account to read, create, replace, delete and list objects.",
    ],
    [400, "The artifact store failed (HTTP 400). Try again."],
  ] as const) {
    it(`explains to the operator what a ${status} means, without naming bucket or object`, async () => {
      await using store = await startStore(answer(status));
      expect(await artifactOutcomes(store.service)).toEqual(Array.from({ length: 8 }, () => unavailable(message)));
    });
  }

  it("sends again, less and less often, what failed for the moment", async () => {
    const seen: string[] = [];
    await using store = await startStore((request, response) => {
      seen.push(`${request.method} ${new URL(request.url ?? "", "http://store").pathname}`);
      answer(503)(request, response);
    });
    const failed = { reason: "STORE_UNAVAILABLE", message: "The artifact store failed (HTTP 503). Try again." };
    await expect(store.service.listVersions(ASKED_FILE)).rejects.toMatchObject(failed);
    expect(seen).toEqual(Array.from({ length: 5 }, () => "GET /storage/v1/b/secret-bucket/o"));
    const bounds = [400, 800, 1600, 3200];
    expect(
      store.waits.map((delayMs, index) => delayMs >= (bounds[index] ?? 0) / 2 && delayMs <= (bounds[index] ?? 0)),
    ).toEqual(bounds.map(() => true));
  });

  it("reports that the bucket is missing where that is certain", async () => {
    await using store = await startStore(answer(404));
    const missing = unavailable(
      "The artifact store has no such bucket. The operator must create it or correct its name.",
    );
    expect(await artifactOutcomes(store.service)).toEqual([
      missing,
      missing,
      undefined,
      undefined,
      missing,
      missing,
      missing,
      missing,
    ]);
  });

  it("refuses a bucket's name that is none", () => {
    const ids = new SequentialIds("save");
    for (const bucketName of ["", "a/b", "Upper", "gs://bucket"])
      expect(() => createGcsArtifactService({ bucketName, clock: new FixedClock(), ids })).toThrow(
        expect.objectContaining({ reason: "CONFIGURATION" }),
      );
  });
});
