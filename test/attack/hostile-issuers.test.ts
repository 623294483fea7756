import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { AttackedServer } from "./attacked-server.ts";
import { MAX_HEALTH_MS, MAX_RSS_MIB, watched } from "./health-watch.ts";
import { HostilePeer } from "./hostile-peer.ts";

const ISSUERS = 48;
const CONCURRENCY = 8;

it(`a server of 512 MB goes on answering while its identity providers do anything, with SEED=${TEST_SEED}`, {
  timeout: 90_000,
}, async () => {
  const random = new SeededRandom(TEST_SEED).fork("issuers");
  await using peer = await HostilePeer.start(random.fork("peer"));
  using stack = new DisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "issuers-")), (path) => rmSync(path, { recursive: true }));
  // Half of them have their keys at a given address, the others at one that the provider names.
  const issuers = Array.from({ length: ISSUERS }, (_, number) => `${peer.url}/issuer/${number}`);
  const entries = issuers.map((issuer, number) => ({
    issuer,
    audience: "fairlead",
    tenant: "default",
    ...(number % 2 === 0 && { jwksUri: `${issuer}/keys` }),
  }));
  writeFileSync(join(folder, "issuers.yaml"), JSON.stringify({ issuers: entries }));
  await using server = await AttackedServer.start({
    NODE_OPTIONS: "--max-old-space-size=512",
    AUTH: "oidc",
    OIDC_ISSUERS_FILE: join(folder, "issuers.yaml"),
  });
  const left = [...issuers];
  const statuses = new Set<number>();
  const attack = async (): Promise<void> => {
    for (let issuer = left.pop(); issuer !== undefined && server.end === undefined; issuer = left.pop()) {
      const headers = { authorization: `Bearer ${forgedToken(issuer, random)}` };
      const { status, body } = await fetch(new URL("/list-apps", server.url), { headers });
      await body?.cancel();
      statuses.add(status);
    }
  };
  const { health } = await watched(server, Promise.all(Array.from({ length: CONCURRENCY }, attack)));
  expect(server.end).toBeUndefined();
  expect(peer.given.length).toBeGreaterThanOrEqual(ISSUERS);
  expect([...statuses].filter((status) => status !== 401 && status !== 503)).toEqual([]);
  expect(health.slowestMs).toBeLessThan(MAX_HEALTH_MS);
  expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
});

/** A token of the issuer whose signature nobody has made. */
function forgedToken(issuer: string, random: SeededRandom): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: random.pick(["RS256", "ES256", "EdDSA"]), typ: "at+jwt", kid: random.pick(["a", "b"]) };
  const claims = { iss: issuer, sub: "eve", aud: "fairlead", iat: now, exp: now + 600, scope: "runs:write" };
  const encoded = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return [...encoded, Buffer.alloc(256, 1).toString("base64url")].join(".");
}
