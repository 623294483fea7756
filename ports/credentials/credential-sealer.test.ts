import { describe, expect, it } from "vitest";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";
import { completeCredentialKeys, type GivenCredentialKeys } from "./credential-keys.ts";
import type { CredentialPlace } from "./credential-sealer.ts";
import { credentialKeysReader } from "./read-credential-keys.ts";

const PLACE: CredentialPlace = { owner: { appName: "app", userId: "ada" }, credentialKey: "tool", version: 7 };
const TOKEN: AuthCredential = { authType: "oauth2", oauth2: { accessToken: "secret" } };
const UNREADABLE = { reason: "CREDENTIAL_UNREADABLE" };

describe("a sealed credential", () => {
  it("differs each time, names its key, and is opened at its place", () => {
    const sealer = sealerWith(keysNamed("one"));
    const sealed = Array.from({ length: 20 }, () => sealer.seal(TOKEN, PLACE));
    expect(new Set(sealed).size).toBe(20);
    for (const text of sealed) {
      expect(text).toMatch(/^flc1\.one\.[\w-]+$/);
      expect(sealer.open(text, PLACE)).toEqual(TOKEN);
    }
  });

  it.each<[string, Partial<CredentialPlace>]>([
    ["version", { version: 8 }],
    ["key", { credentialKey: "other" }],
    ["user", { owner: { ...PLACE.owner, userId: "bob" } }],
    ["app", { owner: { ...PLACE.owner, appName: "other" } }],
    ["tenant", { owner: { ...PLACE.owner, tenantId: "acme" } }],
    ["names that are joined differently", { owner: { appName: 'app","ada', userId: "tool" } }],
  ])("is refused with another %s", (_, other) => {
    const sealer = sealerWith(keysNamed("one"));
    const sealed = sealer.seal(TOKEN, PLACE);
    const open = () => sealer.open(sealed, { ...PLACE, ...other });
    expect(open).toThrow(expect.objectContaining(UNREADABLE));
    expect(open).not.toThrow("secret");
  });

  it("is refused if any of its bytes is changed, missing or added, and with other bytes under the name of its key", () => {
    const sealer = sealerWith(keysNamed("one"));
    const [mark, name, text = ""] = sealer.seal(TOKEN, PLACE).split(".");
    const bytes = Buffer.from(text, "base64url");
    const changed = Array.from(bytes.keys(), (index) => {
      const copy = Buffer.from(bytes);
      copy[index] = (copy[index] ?? 0) ^ 1;
      return copy;
    });
    const cut = Array.from(bytes.keys(), (index) => bytes.subarray(0, index));
    const broken = [...changed, ...cut, Buffer.concat([bytes, bytes.subarray(0, 1)])];
    const texts = [
      ...broken.map((each) => [mark, name, each.toString("base64url")].join(".")),
      ...["", ".", "flc1", "flc1.one", "flc1.one.", `fl1.${name}.${text}`, `${mark}.${name}.${text}.x`, "{}"],
    ];
    for (const each of texts) expect(() => sealer.open(each, PLACE)).toThrow(expect.objectContaining(UNREADABLE));
    const other = sealerWith({ current: "one", keys: new Map([["one", Buffer.alloc(32, 9)]]) });
    expect(() => other.open([mark, name, text].join("."), PLACE)).toThrow(expect.objectContaining(UNREADABLE));
  });

  it("names the key that is missing", () => {
    const sealed = sealerWith(keysNamed("old")).seal(TOKEN, PLACE);
    const missing = { reason: "CREDENTIAL_KEY_UNAVAILABLE", details: { keyName: "old" }, httpStatus: 503 };
    expect(() => sealerWith(keysNamed("new")).open(sealed, PLACE)).toThrow(expect.objectContaining(missing));
    expect(sealerWith(keysNamed("new", "old")).open(sealed, PLACE)).toEqual(TOKEN);
  });
});

const BYTES = Buffer.alloc(32, 7);
const BASE64 = BYTES.toString("base64");

describe("keys that a program gives", () => {
  it("are copied", () => {
    const given = Uint8Array.from(BYTES);
    const { keys } = completeCredentialKeys("open", { current: "a", keys: { a: given } });
    given.fill(0);
    expect(keys.get("a")).toEqual(Uint8Array.from(BYTES));
  });

  it.each<[unknown, string]>([
    [{ current: "b", keys: { a: BYTES } }, "`current` that names one of its `keys`, which are: a"],
    [{ current: "a", keys: {} }, "which are: none"],
    [{ current: "a", keys: { a: BYTES.subarray(1) } }, "needs 32 bytes as key a"],
    [{ current: "a", keys: { a: BASE64 } }, "needs 32 bytes as key a"],
    [{ current: "a.b", keys: { "a.b": BYTES } }, 'names a key "a.b"'],
  ])("are refused: %j", (given, problem) => {
    const complete = () => completeCredentialKeys("open", given as GivenCredentialKeys);
    expect(complete).toThrow(problem);
    expect(complete).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "credentialKeys" } }),
    );
    expect(complete).not.toThrow(BASE64);
  });
});

describe("a file of keys", () => {
  const read = async (text: string) =>
    (await credentialKeysReader((problem) => new Error(`The file ${problem}.`)))(text);

  it.each([
    `current: new\nkeys:\n  old: ${BASE64}\n  new: ${BASE64}\n`,
    `{"keys": {"new": "${BASE64}", "old": "${BASE64}"}, "current": "new"}`,
  ])("has keys by name, in any order", async (text) => {
    const { current, keys } = await read(text);
    expect([current, [...keys.keys()].toSorted(), keys.get("new")]).toEqual([
      ...["new", ["new", "old"], Uint8Array.from(BYTES)],
    ]);
  });

  it("may name keys by numbers", async () => {
    const { current, keys } = await read(`current: 2026\nkeys:\n  2026: ${BASE64}\n  2025: ${BASE64}`);
    expect([current, keys.size]).toEqual(["2026", 2]);
  });

  it.each([
    ["", "has no map `keys`"],
    ["- a", "has no map `keys`"],
    [`keys: [${BASE64}]`, "has no map `keys`"],
    [`keys: {a: ${BASE64}}`, "needs a `current` that names"],
    [`current: a\nkeys: {a: "${BASE64.slice(4)}"}`, "needs 32 bytes as key a"],
    [`current: a\nkeys: {a: " ${BASE64}"}`, "needs 32 bytes as key a"],
    ["current: a\nkeys: {a: 5}", "needs 32 bytes as key a"],
    [`current: "a b"\nkeys: {"a b": ${BASE64}}`, 'names a key "a b"'],
    [`current: a\nkeys: {a: ${BASE64}\n  - `, "is not valid YAML"],
  ])("is refused without its keys: %j", async (text, problem) => {
    const reading = read(text);
    await expect(reading).rejects.toThrow(problem);
    await expect(reading).rejects.not.toThrow(BASE64.slice(4, 20));
  });
});
