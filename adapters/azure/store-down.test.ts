import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import {
  ASKED_FILE,
  artifactOutcomes,
  unavailable,
  unavailableEverywhere,
} from "#test/helpers/faults/artifact-outcomes.ts";
import { type AccountKey, createAzureArtifactService } from "./create-azure-artifact-service.ts";

const sources = () => ({ clock: new FixedClock(), ids: new SequentialIds("save") });

/** A server that handles each request with the listener, and a service on it. */
async function startStore(listener: RequestListener, deadlineMs = 10_000, accountKey: AccountKey = { text: "AAAA" }) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const waits: number[] = [];
  const { clock, ids } = sources();
  const service = createAzureArtifactService({
    ...{ containerUrl: `http://127.0.0.1:${port}/secret-account/secret-container`, accountKey, deadlineMs, clock, ids },
    sleep: async (delayMs) => void waits.push(delayMs),
  });
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return {
    ...{ service, waits, clock, stop },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await stop();
    },
  };
}

function answer(status: number, code?: string): RequestListener {
  return (request, response) => {
    request.resume();
    const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret-container secret-name</Message></Error>`;
    response.writeHead(status, {
      "content-type": "application/xml",
      ...(code !== undefined && { "x-ms-error-code": code }),
    });
    response.end(code === undefined ? "<html><body>A page of a proxy</body></html>" : xml);
  };
}

const CREDENTIALS = "The artifact store does not accept this server's credentials. The operator must renew them.";
const ACCESS =
  "The artifact store denies this server access. The operator must grant its account to read, create, replace, delete and list objects.";
const BROKEN = "The artifact store cannot be reached, or its answer was broken off. Try again.";

describe("artifacts on Azure without their server", () => {
  it("report that a stopped server cannot be reached", async () => {
    await using store = await startStore(answer(500));
    await store.stop();
    expect(await artifactOutcomes(store.service)).toEqual(unavailableEverywhere(BROKEN));
  });

  it("give up on a server that does not answer", async () => {
    await using store = await startStore(() => {}, 30);
    expect(await artifactOutcomes(store.service)).toEqual(
      unavailableEverywhere("The artifact store did not answer in time. Try again."),
    );
  });

  it.each([
    [401, "InvalidAuthenticationInfo", CREDENTIALS],
    [403, "AuthenticationFailed", CREDENTIALS],
    [403, "AuthorizationPermissionMismatch", ACCESS],
    [403, undefined, ACCESS],
    [
      404,
      "ContainerNotFound",
      "The artifact store has no such bucket. The operator must create it or correct its name.",
    ],
    [503, "ServerBusy", "The artifact store asks to slow down. Try again later."],
    [503, undefined, "The artifact store failed (HTTP 503). Try again."],
    [500, "InternalError", "The artifact store failed (HTTP 500). Try again."],
  ])("explain what an answer %s %s means, without naming container or blob", async (status, code, message) => {
    await using store = await startStore(answer(status, code));
    expect(await artifactOutcomes(store.service)).toEqual(unavailableEverywhere(message));
  });

  it("send again, less and less often, what failed for the moment", async () => {
    let requests = 0;
    await using store = await startStore((request, response) => {
      requests += 1;
      answer(503, "ServerBusy")(request, response);
    });
    await expect(store.service.listVersions(ASKED_FILE)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(requests).toBe(5);
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
        "x-ms-meta-fairlead_part": '{"text":""}',
        "x-ms-meta-fairlead_create_time": "0",
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
});

it("reads the account's key again from a changed file", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-key-"));
  const file = join(folder.path, "key");
  const signatures = new Set<unknown>();
  const listener: RequestListener = (request, response) => {
    signatures.add(`${request.headers["x-ms-date"]}`.length > 0 && request.headers.authorization);
    answer(404, "BlobNotFound")(request, response);
  };
  await using store = await startStore(listener, 10_000, { file });
  await expect(store.service.loadArtifact(ASKED_FILE, 0)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  await writeFile(file, `${Buffer.from("one").toString("base64")}\n`);
  expect(await store.service.loadArtifact(ASKED_FILE, 0)).toBeUndefined();
  await writeFile(file, "");
  expect(await store.service.loadArtifact(ASKED_FILE, 0)).toBeUndefined();
  store.clock.advance(5 * 60_000);
  await expect(store.service.loadArtifact(ASKED_FILE, 0)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
});

it.each([
  "",
  "account",
  "https://account.blob.core.windows.net",
  "https://a.example/b/c/d",
  "https://a.example/b?sig=x",
])("refuses the URL %o, which names no container", (containerUrl) => {
  expect(() => createAzureArtifactService({ containerUrl, accountKey: { text: "AAAA" }, ...sources() })).toThrow(
    expect.objectContaining({ reason: "CONFIGURATION" }),
  );
});
