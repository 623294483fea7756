import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { Principal } from "./principal.ts";
import { SignedPrincipals } from "./signed-principals.ts";

const ADA: Principal = { tenantId: DEFAULT_TENANT, appName: "app é", userId: "ada", scopes: [] };
const UPKEEP: Principal = { tenantId: "acme", scopes: ["users:all"] };
const OLD_KEY = "old-key-old-key-old-key-old-key-old";
const NEW_KEY = "new-key-new-key-new-key-new-key-new";

const INVALID = expect.objectContaining({ reason: "PRINCIPAL_INVALID" });
const EXPIRED = expect.objectContaining({ reason: "PRINCIPAL_EXPIRED" });

let folder: string;
let clock: FixedClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  clock = new FixedClock();
});

afterEach(() => rmSync(folder, { recursive: true }));

function keyFile(...keys: readonly string[]): string {
  const path = join(folder, "key");
  writeFileSync(path, `# principals\n${keys.join("\n")}\n`);
  return path;
}

function open(path = keyFile(OLD_KEY)): SignedPrincipals {
  return new SignedPrincipals({ keyFile: path, clock, logger: silentLogger });
}

describe("a signed principal", () => {
  it("is the same at the other end, in text that a header can carry", () => {
    const text = open().sign(ADA);
    expect(text).toMatch(/^[\w.-]+$/);
    expect([open().verify(text), open().verify(open().sign(UPKEEP))]).toEqual([ADA, UPKEEP]);
  });

  it("is signed once for half of its lifetime, and anew for the rest", () => {
    const principals = open();
    const first = principals.sign(ADA);
    clock.advance(149_999);
    expect(principals.sign({ ...ADA })).toBe(first);
    clock.advance(1);
    const second = principals.sign(ADA);
    expect(second).not.toBe(first);
    expect(principals.sign({ ...ADA, userId: "bob" })).not.toBe(second);
  });

  it("expires, also for a service that has checked it before", () => {
    const principals = open();
    const text = principals.sign(ADA);
    clock.advance(299_999);
    expect(principals.verify(text)).toEqual(ADA);
    clock.advance(1);
    expect(() => principals.verify(text)).toThrow(EXPIRED);
    expect(() => open().verify(text)).toThrow(EXPIRED);
  });

  it("cannot be changed, shortened, extended or made up", () => {
    const principals = open();
    const [version, body = "", mac = ""] = principals.sign(ADA).split(".");
    const claims = { tenant: DEFAULT_TENANT, app: "app", user: "bob", scopes: [], expires: clock.now() + 1000 };
    const forged = Buffer.from(JSON.stringify(claims)).toString("base64url");
    for (const text of [
      `${version}.${forged}.${mac}`,
      `${version}.${body}.${mac.slice(0, -4)}`,
      `${version}.${body}.`,
      `${version}.${body}`,
      `v2.${body}.${mac}`,
      `${version}.${body}.${mac}.x`,
      "",
      "ada",
    ])
      expect(() => principals.verify(text)).toThrow(INVALID);
  });

  it("stays valid after a change of the key while the former key is listed, and not longer", () => {
    const path = keyFile(OLD_KEY);
    const signer = open(path);
    const old = signer.sign(ADA);
    const verifier = open(path);
    expect(verifier.verify(old)).toEqual(ADA);
    keyFile(NEW_KEY, OLD_KEY);
    clock.advance(1000);
    expect(verifier.verify(old)).toEqual(ADA);
    const fresh = signer.sign(ADA);
    expect(fresh).not.toBe(old);
    expect(verifier.verify(fresh)).toEqual(ADA);
    keyFile(NEW_KEY);
    clock.advance(1000);
    expect(() => verifier.verify(old)).toThrow(INVALID);
    expect(verifier.verify(fresh)).toEqual(ADA);
  });

  it("needs a key that cannot be guessed", () => {
    expect(() => open(keyFile("short"))).toThrow(/PRINCIPAL_KEY_FILE: a key needs at least 32 characters/);
    expect(() => open(keyFile())).toThrow(expect.objectContaining({ reason: "CONFIGURATION" }));
    expect(() => open(join(folder, "none"))).toThrow("The file of PRINCIPAL_KEY_FILE cannot be read.");
  });
});
