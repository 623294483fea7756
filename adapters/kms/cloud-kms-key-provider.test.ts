import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ContentEncryption } from "#ports/encryption/content-encryption.ts";
import { ContentKeys } from "#ports/encryption/content-keys.ts";
import { LocalKeyProvider } from "#ports/encryption/local-key-provider.ts";
import { CloudKmsKeyProvider } from "./cloud-kms-key-provider.ts";

const RING = "projects/p/locations/l/keyRings/r/cryptoKeys";
const DATA_KEY = Buffer.alloc(32, 5);

interface KmsRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, string>>;
}

interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
}

async function readBody(request: IncomingMessage): Promise<KmsRequest["body"]> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  // The provider sends JSON objects of texts.
  return JSON.parse(text) as KmsRequest["body"];
}

/** A server with the two methods, which keeps the calls; `refuse` answers instead. */
async function startKms(refuse: (request: KmsRequest) => FakeAnswer | undefined = () => undefined) {
  const calls: KmsRequest[] = [];
  const key = Buffer.alloc(32, 1);
  const local = new LocalKeyProvider(
    () =>
      new Map([
        ["acme", [key]],
        ["globex", [key]],
      ]),
  );
  const answerTo = async (request: KmsRequest): Promise<FakeAnswer> => {
    const refused = refuse(request);
    if (refused !== undefined) return refused;
    const { plaintext, ciphertext, additionalAuthenticatedData = "" } = request.body;
    const tenantId = Buffer.from(additionalAuthenticatedData, "base64").toString("utf8");
    if (plaintext !== undefined) {
      const wrapped = await local.wrap(tenantId, Buffer.from(plaintext, "base64"));
      return {
        status: 200,
        body: { name: `${RING}/x/cryptoKeyVersions/1`, ciphertext: Buffer.from(wrapped).toString("base64") },
      };
    }
    try {
      const plain = await local.unwrap(tenantId, Buffer.from(ciphertext ?? "", "base64"));
      return { status: 200, body: { plaintext: Buffer.from(plain).toString("base64") } };
    } catch {
      return { status: 400, body: { error: { code: 400, status: "INVALID_ARGUMENT", message: "Decryption failed" } } };
    }
  };
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const { method, url: path, headers } = request;
      const call = { method, path, type: headers["content-type"], authorization: headers.authorization, body };
      calls.push(call);
      const answer = await answerTo(call);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  const provider = new CloudKmsKeyProvider({ keyName: `${RING}/of-{tenant}`, apiEndpoint: `http://127.0.0.1:${port}` });
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { calls, provider, stop, [Symbol.asyncDispose]: stop };
}

it("encrypts and decrypts data keys with the tenant's key, bound to the tenant", async () => {
  await using kms = await startKms();
  const wrapped = await kms.provider.wrap("acme", DATA_KEY);
  expect(Buffer.from(await kms.provider.unwrap("acme", wrapped))).toEqual(DATA_KEY);
  const common = { method: "POST", type: "application/json", authorization: undefined };
  const additionalAuthenticatedData = btoa("acme");
  expect(kms.calls).toEqual([
    {
      ...common,
      path: `/v1/${RING}/of-acme:encrypt`,
      body: { plaintext: DATA_KEY.toString("base64"), additionalAuthenticatedData },
    },
    {
      ...common,
      path: `/v1/${RING}/of-acme:decrypt`,
      body: { ciphertext: Buffer.from(wrapped).toString("base64"), additionalAuthenticatedData },
    },
  ]);
  await expect(kms.provider.unwrap("globex", wrapped)).rejects.toMatchObject({
    reason: "CONTENT_UNREADABLE",
    details: { tenantId: "globex" },
  });
});

it.each([
  [404, "NOT_FOUND", "CONTENT_KEY_UNAVAILABLE"],
  [400, "FAILED_PRECONDITION", "CONTENT_KEY_UNAVAILABLE"],
  [403, "PERMISSION_DENIED", "CONTENT_KEY_UNAVAILABLE"],
  [429, "RESOURCE_EXHAUSTED", "STORE_UNAVAILABLE"],
  [503, "UNAVAILABLE", "STORE_UNAVAILABLE"],
  [401, "UNAUTHENTICATED", "STORE_UNAVAILABLE"],
])("reports the answer %i %s as %s", async (status, reason, expected) => {
  await using kms = await startKms(() => ({ status, body: { error: { code: status, status: reason, message: "m" } } }));
  await expect(kms.provider.wrap("acme", DATA_KEY)).rejects.toMatchObject({ reason: expected });
  await expect(kms.provider.unwrap("acme", DATA_KEY)).rejects.toMatchObject({ reason: expected });
});

it.each([["no JSON"], [{}], [{ ciphertext: 7 }]])("reports the answer %j as an outage", async (body) => {
  await using kms = await startKms(() => ({ status: 200, body }));
  await expect(kms.provider.wrap("acme", DATA_KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
});

it("reports a server that cannot be reached as an outage", async () => {
  const kms = await startKms();
  await kms.stop();
  await expect(kms.provider.wrap("acme", DATA_KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
});

it("makes content of one tenant unreadable when its key is destroyed", async () => {
  let isDestroyed = false;
  await using kms = await startKms(({ path = "" }) =>
    isDestroyed && path.includes("/of-acme:")
      ? { status: 400, body: { error: { code: 400, status: "FAILED_PRECONDITION", message: "destroyed" } } }
      : undefined,
  );
  const clock = new FixedClock();
  const encryption = new ContentEncryption(new ContentKeys({ provider: kms.provider, clock }));
  const place = (tenantId: string) => ({ tenantId, parts: ["event"] });
  const store = encryption.withKeys({
    seal: async (tenantId: string) => encryption.sealer.sealText("secret", place(tenantId)),
    open: async (tenantId: string, text: string) => encryption.sealer.openText(text, place(tenantId)),
  });
  const [ofAcme, ofGlobex] = [await store.seal("acme"), await store.seal("globex")];
  const calls = kms.calls.length;
  expect([await store.open("acme", ofAcme), await store.open("globex", ofGlobex)]).toEqual(["secret", "secret"]);
  expect(kms.calls).toHaveLength(calls);
  isDestroyed = true;
  clock.advance(300_000);
  await expect(store.open("acme", ofAcme)).rejects.toMatchObject({ reason: "CONTENT_KEY_UNAVAILABLE" });
  expect(await store.open("globex", ofGlobex)).toBe("secret");
});

it.each(["", "projects/p", `${RING}/shared`, `x/${RING}/{tenant}`, `${RING}/{tenant}/cryptoKeyVersions/1`])(
  "refuses the name %j, in which tenants have no key of their own",
  (keyName) => {
    expect(() => new CloudKmsKeyProvider({ keyName })).toThrow(expect.objectContaining({ reason: "CONFIGURATION" }));
  },
);
