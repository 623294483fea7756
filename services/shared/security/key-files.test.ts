import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePrivateKeys, parsePublicKeys, publicHalf } from "./key-files.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const PRIVATE = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const PUBLIC = publicKey.export({ type: "spki", format: "pem" }).toString();
const EC = generateKeyPairSync("ec", { namedCurve: "P-256" });
const EC_PRIVATE = EC.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const EC_PUBLIC = EC.publicKey.export({ type: "spki", format: "pem" }).toString();
const ENCRYPTED = privateKey
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
  .toString();

/** A self-signed certificate of the private key. */
function certificateOf(key: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-keys-"));
  try {
    writeFileSync(join(folder, "key"), key);
    const subject = ["-subj", "/CN=whatever", "-days", "1"];
    execFileSync(
      "openssl",
      ["req", "-x509", "-new", "-key", join(folder, "key"), ...subject, "-out", join(folder, "crt")],
      {
        stdio: "ignore",
      },
    );
    return readFileSync(join(folder, "crt"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a file of keys", () => {
  it("has private keys in their order, which have the names of their public halves", () => {
    const second = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const keys = parsePrivateKeys(`# the new one\n${second}\n${PRIVATE}`, "FILE");
    expect(keys.map(({ key }) => key.export({ type: "pkcs8", format: "pem" }))).toEqual([second, PRIVATE]);
    const [named] = parsePublicKeys(PUBLIC, "FILE");
    expect(keys[1]?.thumbprint).toBe(named?.thumbprint);
    expect(named?.thumbprint).toMatch(/^[\w-]{43}$/);
    expect(keys.map(publicHalf)[1]?.key.export({ type: "spki", format: "pem" })).toBe(PUBLIC);
  });

  it("names a key by the thumbprint of RFC 7638", () => {
    // The key of RFC 8037, appendix A.1, and its thumbprint of appendix A.3.
    const key =
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";
    expect(parsePublicKeys(key, "FILE")[0]?.thumbprint).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
  });

  it("may have certificates for public keys, of any name", () => {
    const keys = parsePublicKeys(certificateOf(PRIVATE), "FILE");
    expect(keys.map(({ key }) => key.export({ type: "spki", format: "pem" }))).toEqual([PUBLIC]);
  });

  it.each([
    ["nothing", "", "has no private key"],
    ["a public key", PUBLIC, "has a PUBLIC KEY"],
    ["an encrypted key", ENCRYPTED, "has a ENCRYPTED PRIVATE KEY"],
    ["another algorithm", EC_PRIVATE, "has a key of type ec"],
    ["a broken key", PRIVATE.replace(/\n.{8}/, "\nAAAAAAAA"), "has a key that cannot be read"],
    ["a shared secret", "key-key-key-key-key-key-key-key-key", "has no private key"],
  ])("is refused as one of private keys with %s", (_, text, message) => {
    expect(() => parsePrivateKeys(text, "FILE")).toThrow(`FILE: the file ${message}`);
  });

  it.each([
    ["nothing", "", "has no public key"],
    ["a private key", PRIVATE, "has a PRIVATE KEY"],
    ["another algorithm", EC_PUBLIC, "has a key of type ec"],
    ["a broken certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "cannot be read"],
  ])("is refused as one of public keys with %s", (_, text, message) => {
    expect(() => parsePublicKeys(text, "FILE")).toThrow(message);
    expect(() => parsePublicKeys(text, "FILE")).toThrow(expect.objectContaining({ reason: "CONFIGURATION" }));
  });
});
