import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { environmentOf, podOf } from "../pods.ts";
import { at, find, listAt, render, tools } from "../render.ts";
import { secretsOf } from "../secret-mounts.ts";

const KMS_KEY = "projects/p/locations/europe-west1/keyRings/fairlead/cryptoKeys/{tenant}";

type Objects = Awaited<ReturnType<typeof render>>;

/** The variables and the files of keys of the services that have any. */
function encryptionOf(objects: Objects) {
  const entries = SERVICE_NAMES.map((name) => {
    const variables = Object.entries(environmentOf(podOf(objects, name))).filter(([key]) => key.startsWith("CONTENT_"));
    const files = Object.entries(secretsOf(objects, name)).filter(([path]) => path.startsWith("content/"));
    return [name, Object.fromEntries([...variables, ...files])] as const;
  });
  return Object.fromEntries(entries.filter(([, settings]) => Object.keys(settings).length > 0));
}

/** Whether the network policy of a service lets it out to port 443. */
function reachesGoogle(objects: Objects, name: string): boolean {
  const policy = find(objects, "NetworkPolicy", `agents-fairlead-${name}`);
  return listAt(policy, "spec.egress").some((rule) => listAt(rule, "ports").some((port) => at(port, "port") === 443));
}

describe.skipIf(tools.helm === undefined)("encryption of content", () => {
  it("is off without values", async () => {
    expect(encryptionOf(await render())).toEqual({});
  });

  it("gives the services that store content the file of keys, and no other", async () => {
    verifies("platform:helm:encryption");
    const objects = await render({ contentEncryption: { keysSecret: { name: "content", key: "keys" } } });
    const settings = {
      CONTENT_ENCRYPTION: "file",
      CONTENT_KEYS_FILE: "/run/fairlead/content/keys.yaml",
      "content/keys.yaml": "content/keys",
    };
    expect(encryptionOf(objects)).toEqual({ session: settings, artifact: settings, memory: settings });
  });

  it("names the keys in Cloud KMS, and lets the services out to it", async () => {
    verifies("platform:helm:encryption");
    const settings = { CONTENT_ENCRYPTION: "kms", CONTENT_KMS_KEY: KMS_KEY };
    const files = { stores: { artifact: "files" }, artifact: { persistence: { enabled: true } } };
    const objects = await render({ contentEncryption: { kmsKey: KMS_KEY }, ...files });
    expect(encryptionOf(objects)).toEqual({ session: settings, artifact: settings, memory: settings });
    for (const name of ["session", "artifact", "memory"]) expect(reachesGoogle(objects, name)).toBe(true);
    expect(reachesGoogle(await render(files), "artifact")).toBe(false);
  });

  it.each([
    [
      { keysSecret: { name: "content" }, kmsKey: KMS_KEY },
      "contentEncryption.keysSecret.name and contentEncryption.kmsKey are both set",
    ],
    [{ kmsKey: "projects/p/locations/l/keyRings/r/cryptoKeys/one" }, "kmsKey"],
    [{ keysSecret: { name: "content", key: "" } }, "key"],
  ])("is refused with %o", async (contentEncryption, message) => {
    await expect(render({ contentEncryption })).rejects.toThrow(message);
  });
});
