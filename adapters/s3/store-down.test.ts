import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import {
  ASKED_FILE,
  artifactOutcomes,
  unavailable,
  unavailableEverywhere,
} from "#test/helpers/faults/artifact-outcomes.ts";
import { createS3ArtifactService } from "./create-s3-artifact-service.ts";

const NAME = "/secret-bucket/app/user/s/session/secret-name/0";

/** A server that handles each request with the listener, and a service on it. */
async function startStore(listener: RequestListener, deadlineMs = 10_000) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  const waits: number[] = [];
  const opened = createS3ArtifactService({
    ...{ bucket: "secret-bucket", endpoint, region: "us-east-1", pathStyle: true, deadlineMs, setting: "S3_ENDPOINT" },
    credentials: { accessKeyId: "secret-id", secretAccessKey: "secret-key" },
    clock: new FixedClock(),
    ids: new SequentialIds("save"),
    sleep: async (delayMs) => void waits.push(delayMs),
  });
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return {
    ...opened,
    endpoint,
    waits,
    stop,
    [Symbol.asyncDispose]: async () => {
      opened[Symbol.dispose]();
      if (server.listening) await stop();
    },
  };
}

function answer(status: number, code?: string): RequestListener {
  return (request, response) => {
    request.resume();
    const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret-bucket and secret-name</Message></Error>`;
    const page = "<html><body>A page of a proxy</body></html>";
    response.writeHead(status, { "content-type": "application/xml" }).end(code === undefined ? page : xml);
  };
}

/** Accepts each write, and has an empty bucket. */
function accepting(): RequestListener {
  return (request, response) => {
    request.resume().on("end", () => response.writeHead(200, { etag: '"tag"' }).end("<ListBucketResult/>"));
  };
}

const CREDENTIALS = "The artifact store does not accept this server's credentials. The operator must renew them.";
const ACCESS =
  "The artifact store denies this server access. The operator must grant its account to read, create, replace, delete and list objects.";
const BROKEN = "The artifact store cannot be reached, or its answer was broken off. Try again.";

describe("artifacts on S3 without their server", () => {
  it("report that a stopped server cannot be reached, and start nevertheless", async () => {
    await using store = await startStore(answer(500));
    await store.stop();
    await store.start();
    expect(await artifactOutcomes(store.service)).toEqual(unavailableEverywhere(BROKEN));
  });

  it("give up on a server that does not answer", async () => {
    await using store = await startStore(() => {}, 30);
    const expected = unavailableEverywhere("The artifact store did not answer in time. Try again.");
    expect(await artifactOutcomes(store.service)).toEqual(expected);
  });

  it.each([
    [401, undefined, CREDENTIALS],
    [403, "InvalidAccessKeyId", CREDENTIALS],
    [403, "SignatureDoesNotMatch", CREDENTIALS],
    [403, "AccessDenied", ACCESS],
    [403, undefined, ACCESS],
    [503, "SlowDown", "The artifact store asks to slow down. Try again later."],
    [503, undefined, "The artifact store failed (HTTP 503). Try again."],
    [500, "InternalError", "The artifact store failed (HTTP 500). Try again."],
  ])("explain what an answer %s %s means, without naming bucket or object", async (status, code, message) => {
    await using store = await startStore(answer(status, code));
    // Answers to HEAD have no body, and so only a status.
    const bare: Readonly<Record<number, string>> = {
      403: ACCESS,
      503: "The artifact store failed (HTTP 503). Try again.",
    };
    const expected = unavailableEverywhere(message).map((outcome, index) =>
      index === 3 && bare[status] !== undefined ? unavailable(bare[status]) : outcome,
    );
    expect(await artifactOutcomes(store.service)).toEqual(expected);
  });

  it.each([
    [301, "PermanentRedirect"],
    [400, "AuthorizationHeaderMalformed"],
  ])("report the wrong region, which is answered with %s", async (status, code) => {
    await using store = await startStore(answer(status, code));
    await expect(store.service.listVersions(ASKED_FILE)).rejects.toMatchObject(
      unavailable("The artifact store has the bucket in another region. The operator must correct the region."),
    );
  });

  it("send again, less and less often, what failed for the moment", async () => {
    const seen: string[] = [];
    await using store = await startStore((request, response) => {
      seen.push(`${request.method} ${new URL(request.url ?? "", "http://store").pathname}`);
      answer(503, "SlowDown")(request, response);
    });
    await expect(store.service.listVersions(ASKED_FILE)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(seen).toEqual(Array.from({ length: 5 }, () => "GET /secret-bucket/"));
    const bounds = [400, 800, 1600, 3200];
    expect(
      store.waits.map((delayMs, index) => delayMs >= (bounds[index] ?? 0) / 2 && delayMs <= (bounds[index] ?? 0)),
    ).toEqual(bounds.map(() => true));
  });

  it.each([
    ["once", 1, { text: "abcdef" }],
    ["always", Number.POSITIVE_INFINITY, unavailable(BROKEN)],
  ])("never return a part of a body whose connection breaks %s", async (_often, times, expected) => {
    let broken = 0;
    await using store = await startStore((_request, response) => {
      response.writeHead(200, {
        "content-length": 6,
        etag: '"tag"',
        "x-amz-meta-fairlead-record": JSON.stringify({ fairleadPart: '{"text":""}', fairleadCreateTime: "0" }),
      });
      if (broken === times) return void response.end("abcdef");
      broken += 1;
      response.write("abc", () => response.destroy());
    });
    const loaded = store.service.loadArtifact(ASKED_FILE, 0).catch(({ reason, message }) => ({ reason, message }));
    expect(await loaded).toEqual(expected);
    expect(broken).toBe(times === 1 ? 1 : 5);
  });

  it("give up on a body that stops", async () => {
    await using store = await startStore((_request, response) => {
      response.writeHead(200, { "content-length": 6, etag: '"tag"' });
      response.write("abc");
    }, 50);
    await expect(store.service.loadArtifact(ASKED_FILE, 0)).rejects.toMatchObject(
      unavailable("The artifact store did not answer in time. Try again."),
    );
  });

  it("refuse a name that no bucket can have", () => {
    const sources = { clock: new FixedClock(), ids: new SequentialIds("save") };
    for (const bucket of ["", "a/b", "s3://bucket", "-ab"])
      expect(() => createS3ArtifactService({ bucket, region: "r", setting: "endpoint", ...sources })).toThrow(
        expect.objectContaining({ reason: "CONFIGURATION" }),
      );
  });
});

describe("artifacts on a server without conditional writes", () => {
  it.each([
    ["ignores", accepting],
    [
      "refuses",
      (): RequestListener => (request, response) =>
        request.method === "PUT" ? answer(501, "NotImplemented")(request, response) : accepting()(request, response),
    ],
  ])("are not opened if it %s the header", async (_what, listener) => {
    await using store = await startStore(listener());
    await expect(store.start()).rejects.toMatchObject({
      reason: "CONFIGURATION",
      message: `The S3 server at ${store.endpoint} does not honour the header If-None-Match: * of a write, so that two saves could overwrite each other. Choose a server or a release with conditional writes (S3_ENDPOINT).`,
    });
    await expect(store.service.saveArtifact({ ...ASKED_FILE, artifact: { text: "x" } })).rejects.toMatchObject({
      reason: "CONFIGURATION",
    });
  });

  it("write nothing before a server that did not answer at the start has been asked", async () => {
    const written: string[] = [];
    let isDown = true;
    await using store = await startStore((request, response) => {
      if (isDown) return answer(400)(request, response);
      if (request.method === "PUT") written.push(request.url ?? "");
      return accepting()(request, response);
    });
    await store.start();
    isDown = false;
    await expect(store.service.saveArtifact({ ...ASKED_FILE, artifact: { text: "x" } })).rejects.toMatchObject({
      reason: "CONFIGURATION",
    });
    expect(written.filter((path) => path.startsWith(NAME))).toEqual([]);
    expect(written.length).toBe(2);
  });
});
