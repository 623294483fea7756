import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { writeKeys } from "#test/helpers/security/security-files.ts";
import { CallAdmission } from "./call-admission.ts";
import { GrantIssuer } from "./grant-issuer.ts";
import { parsePrivateKeys, sessionGrantKey } from "./key-files.ts";
import { openCallKeys } from "./open-call-keys.ts";
import type { Principal } from "./principal.ts";

const ADA: Principal = { tenantId: "default", appName: "app é", userId: "ada", scopes: [] };
const BOUND: Principal = { tenantId: "acme", appName: "app", userId: "ada", sessionId: "s", runId: "r", scopes: [] };
const INVALID = expect.objectContaining({ reason: "PRINCIPAL_INVALID" });
const EXPIRED = expect.objectContaining({ reason: "PRINCIPAL_EXPIRED" });

let folder: string;
let clock: FixedClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  clock = new FixedClock();
  for (const name of ["old", "new"]) writeKeys(folder, name);
  use("private", "old.key");
  use("public", "old.pub");
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Makes the files the content of the file of that name, in their order. */
function use(name: string, ...files: readonly string[]): void {
  writeFileSync(join(folder, name), files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n"));
}

function open() {
  const sources = { clock, ids: new SequentialIds(), logger: silentLogger };
  const { signer } = openCallKeys({ PRINCIPAL_PRIVATE_KEY_FILE: join(folder, "private") }, sources);
  const { principals } = openCallKeys({ PRINCIPAL_PUBLIC_KEYS_FILE: join(folder, "public") }, sources);
  if (signer === undefined || principals === undefined) throw new Error("both files are set");
  return { signer, verify: (text: string | undefined) => principals.verify(text, "session").principal, principals };
}

describe("a signed principal", () => {
  it("is the same at the other end, with all that limits it", () => {
    const { signer, verify } = open();
    for (const principal of [ADA, BOUND, { tenantId: "default", scopes: ["users:all"] }])
      expect(verify(signer.sign(principal, "session"))).toEqual(principal);
  });

  it("is signed once for half of its life for each service, and anew for the rest", () => {
    const { signer } = open();
    const first = signer.sign(ADA, "session");
    clock.advance(149_999);
    expect(signer.sign({ ...ADA }, "session")).toBe(first);
    clock.advance(1);
    const second = signer.sign(ADA, "session");
    const others = [
      { ...ADA, tenantId: "acme" },
      { ...ADA, userId: "bob" },
      { ...ADA, sessionId: "s" },
      { ...ADA, runId: "s" },
      { ...ADA, scopes: ["users:all"] },
    ].map((principal) => signer.sign(principal, "session"));
    expect(new Set([first, second, signer.sign(ADA, "memory"), ...others]).size).toBe(8);
  });

  it("expires, also for a service that has checked it before", () => {
    const { signer, verify } = open();
    const text = signer.sign(ADA, "session");
    clock.advance(299_000);
    expect(verify(text)).toEqual(ADA);
    clock.advance(1000);
    expect(() => verify(text)).toThrow(EXPIRED);
    expect(() => open().verify(text)).toThrow(EXPIRED);
  });

  it("is refused by a service that it is not for, also by one that has seen it", () => {
    const { signer, principals, verify } = open();
    const text = signer.sign(ADA, "artifact");
    expect(() => verify(text)).toThrow(INVALID);
    expect(principals.verify(text, "artifact").principal).toEqual(ADA);
    expect(() => verify(text)).toThrow(INVALID);
    for (const none of [undefined, "", "ada"]) expect(() => verify(none)).toThrow(INVALID);
  });

  it("stays valid while its key is accepted, and not a second longer, also if it is repeated", () => {
    const { signer, verify } = open();
    const old = signer.sign(ADA, "session");
    expect(verify(old)).toEqual(ADA);
    use("public", "old.pub", "new.pub");
    clock.advance(1000);
    expect(signer.sign(ADA, "session")).toBe(old);
    use("private", "new.key", "old.key");
    clock.advance(1000);
    const fresh = signer.sign(ADA, "session");
    expect(fresh).not.toBe(old);
    expect([verify(old), verify(fresh)]).toEqual([ADA, ADA]);
    use("public", "new.pub");
    clock.advance(1000);
    expect(() => verify(old)).toThrow(INVALID);
    expect(verify(fresh)).toEqual(ADA);
  });

  it("keeps its keys while their file is broken or lost", () => {
    const { signer, verify } = open();
    writeFileSync(join(folder, "public"), "nothing");
    rmSync(join(folder, "private"));
    clock.advance(1000);
    expect(verify(signer.sign(ADA, "session"))).toEqual(ADA);
    copyFileSync(join(folder, "new.pub"), join(folder, "public"));
    clock.advance(1000);
    expect(() => verify(signer.sign(ADA, "session"))).toThrow(INVALID);
  });
});

describe("the grant of a run", () => {
  const RUN = { runId: "r", session: { tenantId: "acme", appName: "app", userId: "ada", id: "s" } };

  function openGrants() {
    const sources = { clock, ids: new SequentialIds(), logger: silentLogger };
    const keys = openCallKeys({ GRANT_PRIVATE_KEY_FILE: join(folder, "private") }, sources);
    const { grants: own, sessionGrants, grantIssuer } = keys;
    const { grants, ...others } = openCallKeys({ GRANT_PUBLIC_KEYS_FILE: join(folder, "public") }, sources);
    expect(others.sessionGrants).toBeUndefined();
    if (own === undefined || grantIssuer === undefined || grants === undefined || sessionGrants === undefined)
      throw new Error("both files are set");
    return { issuer: grantIssuer, own, grants, sessionGrants };
  }

  it("names the run and its session to the services that runs need", () => {
    const { issuer, own, grants } = openGrants();
    const text = issuer.ofStarted(RUN, "services");
    const expected = { tenantId: "acme", appName: "app", userId: "ada", sessionId: "s", runId: "r", scopes: [] };
    expect(own.verify(text, "session").principal).toEqual(expected);
    for (const service of ["artifact", "memory"] as const)
      expect(grants.verify(text, service).principal).toEqual(expected);
    for (const service of ["eval", "runner", "gateway"] as const)
      expect(() => grants.verify(text, service)).toThrow(INVALID);
  });

  it("names no session while the run waits, and then only the session service accepts it", () => {
    const { issuer, own, grants } = openGrants();
    const text = issuer.ofQueued(RUN, "services");
    expect(own.verify(text, "session").principal).toEqual({
      ...{ tenantId: "acme", appName: "app", userId: "ada", runId: "r", scopes: [] },
    });
    expect(() => grants.verify(text, "artifact")).toThrow(INVALID);
  });

  it("is to be replaced for the second half of its two minutes", () => {
    const { issuer, grants } = openGrants();
    const text = issuer.ofStarted(RUN, "services");
    const { expiresAtMs } = grants.verify(text, "memory");
    clock.advance(59_000);
    expect(issuer.isStale(expiresAtMs)).toBe(false);
    clock.advance(2000);
    expect(issuer.isStale(expiresAtMs)).toBe(true);
    clock.advance(60_000);
    expect(() => grants.verify(text, "memory")).toThrow(EXPIRED);
  });

  it("is not a principal, and a principal is not a grant, under the same key", () => {
    const { issuer, grants } = openGrants();
    const { signer, principals } = open();
    expect(() => principals.verify(issuer.ofStarted(RUN, "services"), "session")).toThrow(INVALID);
    expect(() => grants.verify(signer.sign(BOUND, "memory"), "memory")).toThrow(INVALID);
  });

  it("of an earlier key stays valid while that key is in the file", () => {
    const { issuer, own } = openGrants();
    const old = issuer.ofStarted(RUN, "services");
    use("private", "new.key", "old.key");
    clock.advance(1000);
    const fresh = issuer.ofStarted(RUN, "services");
    expect(own.verify(old, "session").principal).toEqual(own.verify(fresh, "session").principal);
    use("private", "new.key");
    clock.advance(1000);
    expect(() => own.verify(old, "session")).toThrow(INVALID);
    expect(own.verify(fresh, "session").principal.runId).toBe("r");
  });

  it("for the session service alone names the same, and no other service accepts it", () => {
    const { issuer, own, grants, sessionGrants } = openGrants();
    const text = issuer.ofStarted(RUN, "session");
    // Another replica has not seen it.
    for (const verifier of [sessionGrants, openGrants().sessionGrants])
      expect(verifier.verify(text, "session")).toEqual({
        principal: own.verify(issuer.ofStarted(RUN, "services"), "session").principal,
        audience: ["session"],
        expiresAtMs: own.verify(issuer.ofStarted(RUN, "services"), "session").expiresAtMs,
      });
    for (const service of ["artifact", "memory", "runner", "eval", "gateway"] as const) {
      expect(() => grants.verify(text, service)).toThrow(INVALID);
      expect(() => sessionGrants.verify(text, service)).toThrow(INVALID);
    }
    expect(() => own.verify(text, "session")).toThrow(INVALID);
  });

  it("for the session service alone expires like others, and is refused when its key is removed", () => {
    const { issuer, sessionGrants } = openGrants();
    const text = issuer.ofStarted(RUN, "session");
    use("private", "new.key", "old.key");
    clock.advance(1000);
    const fresh = issuer.ofStarted(RUN, "session");
    for (const verifier of [sessionGrants, openGrants().sessionGrants])
      for (const each of [text, fresh]) expect(verifier.verify(each, "session").principal.runId).toBe("r");
    use("private", "new.key");
    clock.advance(1000);
    expect(() => sessionGrants.verify(text, "session")).toThrow(INVALID);
    expect(sessionGrants.verify(fresh, "session").principal.runId).toBe("r");
    clock.advance(120_000);
    for (const verifier of [sessionGrants, openGrants().sessionGrants])
      expect(() => verifier.verify(fresh, "session")).toThrow(EXPIRED);
  });

  it("for other services is signed for a grant that was shown, of the same content and end", () => {
    const { issuer, grants, sessionGrants } = openGrants();
    const shown = sessionGrants.verify(issuer.ofStarted(RUN, "session"), "session");
    clock.advance(100_000);
    const authority = { kind: "grant", for: "session", ...shown } as const;
    const text = issuer.ofShown(authority);
    for (const service of ["session", "artifact", "memory"] as const)
      expect(grants.verify(text, service)).toMatchObject({
        principal: shown.principal,
        expiresAtMs: shown.expiresAtMs,
      });
    clock.advance(20_000);
    expect(() => grants.verify(text, "memory")).toThrow(EXPIRED);
    const waiting = sessionGrants.verify(issuer.ofQueued(RUN, "session"), "session");
    for (const other of [
      { ...authority, principal: waiting.principal },
      { ...authority, kind: "principal" },
      { ...authority, kind: "permit" },
      { kind: "no-user" },
      { kind: "unchecked" },
    ] as const)
      expect(() => issuer.ofShown(other)).toThrow(INVALID);
  });

  it("costs a signature for other services only", () => {
    const { sessionGrants, own } = openGrants();
    let signatures = 0;
    const pem = readFileSync(join(folder, "old.key"), "utf8");
    const keys = parsePrivateKeys(pem, "FILE");
    const issuer = new GrantIssuer({
      keys: () => {
        signatures += 1;
        return keys;
      },
      sessionKeys: () => keys.map(sessionGrantKey),
      verifier: own,
      sessionVerifier: sessionGrants,
      clock,
      ids: new SequentialIds(),
    });
    issuer.ofStarted(RUN, "session");
    issuer.ofQueued(RUN, "session");
    expect(signatures).toBe(0);
    issuer.ofStarted(RUN, "services");
    expect(signatures).toBe(1);
  });
});

describe("a principal for a runner", () => {
  const path = (method: string): string => `/fairlead.runner.v1.RunnerService/${method}`;

  it.each([
    ["StartRun", { sessionId: "s" }],
    ["RunLive", { sessionId: "s" }],
    ["CancelRun", { runId: "r" }],
  ])("admits %s only if it is limited by %j", (method, limit) => {
    const { signer, principals } = open();
    const { admit } = new CallAdmission({ self: "runner", principals, grants: undefined });
    const arrive = (principal: Principal) =>
      admit({ path: path(method), caller: "gateway", principal: signer.sign(principal, "runner"), grant: undefined });
    const limited = { ...ADA, ...limit };
    expect(arrive(limited)).toEqual({ kind: "principal", principal: limited });
    const other = "runId" in limit ? { sessionId: "s" } : { runId: "r" };
    for (const principal of [ADA, { ...ADA, ...other }]) expect(() => arrive(principal)).toThrow(INVALID);
  });
});
