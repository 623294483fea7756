import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { environmentOf, podOf } from "../pods.ts";
import { render, tools } from "../render.ts";
import { secretsOf } from "../secret-mounts.ts";

const SEALED = { store: "sessions", keysSecret: { name: "tools", key: "keys" } };

type Objects = Awaited<ReturnType<typeof render>>;

/** The variables and files of the services that have any for credentials. */
function credentialsOf(objects: Objects) {
  const entries = SERVICE_NAMES.map((name) => {
    const environment = Object.entries(environmentOf(podOf(objects, name)));
    const variables = environment.filter(([key]) => key.startsWith("CREDENTIAL_"));
    const files = Object.entries(secretsOf(objects, name)).filter(([path]) => path.startsWith("credentials/"));
    return [name, Object.fromEntries([...variables, ...files])] as const;
  });
  return Object.fromEntries(entries.filter(([, settings]) => Object.keys(settings).length > 0));
}

describe.skipIf(tools.helm === undefined)("credentials of users for tools", () => {
  it("are in the memory of the session service without values", async () => {
    expect(credentialsOf(await render())).toEqual({ session: { CREDENTIAL_STORE: "memory" } });
  });

  it.each(["firestore", "sqlite"])(
    "are in the store of sessions, %s, with the file of keys for that service alone",
    async (store) => {
      verifies("platform:helm:credentials");
      const sqlite = { stores: { session: "sqlite" }, session: { replicas: 1, persistence: { enabled: true } } };
      const objects = await render({ credentials: SEALED, ...(store === "sqlite" && sqlite) });
      expect(credentialsOf(objects)).toEqual({
        session: {
          CREDENTIAL_STORE: store,
          CREDENTIAL_KEYS_FILE: "/run/fairlead/credentials/keys.yaml",
          "credentials/keys.yaml": "tools/keys",
        },
      });
    },
  );

  it.each([
    [{ credentials: { store: "sessions" } }, "credentials.keysSecret.name is empty"],
    [{ credentials: { store: "sessions" }, environment: "development" }, "credentials.keysSecret.name is empty"],
    [{ credentials: { keysSecret: { name: "tools" } } }, "credentials.store is memory"],
    [
      { credentials: SEALED, environment: "development", stores: { session: "memory" }, session: { replicas: 1 } },
      "stores.session is memory",
    ],
    [{ credentials: { store: "firestore" } }, "store"],
    [{ credentials: { ...SEALED, keysSecret: { name: "tools", key: "" } } }, "key"],
  ])("are refused with %o", async (values, message) => {
    verifies("platform:helm:credentials");
    await expect(render(values)).rejects.toThrow(message);
  });
});
