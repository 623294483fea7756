import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openCredentialStore } from "#shared/stores/credential-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { UsageError } from "../parse-arguments.ts";
import { credentials } from "./credentials.ts";

const KEYS = { a: 1, b: 2 } as const;
const ADA = { appName: "app", userId: "ada" };
const TOKEN = { authType: "apiKey", apiKey: "the-planted-secret" } as const;

function createWorld(settings: Readonly<Record<string, string>> = {}) {
  const { path: folder } = agentsFolder({});
  const keysFile = join(folder, "keys.yaml");
  const writeKeys = (current: keyof typeof KEYS, ...names: readonly (keyof typeof KEYS)[]) => {
    const keys = names.map((name) => `${name}: ${Buffer.alloc(32, KEYS[name]).toString("base64")}`);
    writeFileSync(keysFile, `current: ${current}\nkeys: {${keys.join(", ")}}\n`);
  };
  writeKeys("a", "a");
  const config = loadConfig(standaloneConfigSchema, {
    ...{ DATA_DIR: join(folder, "data"), CREDENTIAL_KEYS_FILE: keysFile },
    ...settings,
  });
  const parts = { config, clock: new FixedClock(), ids: new UuidV7Generator(), logger: silentLogger };
  /** Opens the store as a server does, with the lock of the folder. */
  const serve = async () => {
    const stack = new AsyncDisposableStack();
    const { store } = await openCredentialStore(createStoreContext({ ...parts, stack }));
    return { store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  };
  const run = async (action: string | undefined, flags: readonly string[] = [], ...words: string[]) => {
    const lines: string[] = [];
    const print = (text: string) => void lines.push(text);
    const code = await credentials({ ...parts, action, words, flags: new Map(flags.map((flag) => [flag, ""])), print });
    return { code, text: lines.join("\n") };
  };
  return { parts, writeKeys, serve, run };
}

describe("fairlead credentials reseal", () => {
  it("seals everything with the current key while a server uses the store, so that the former key can be removed", async () => {
    verifies("platform:credentials:resealed");
    const { parts, writeKeys, serve, run } = createWorld();
    {
      await using server = await serve();
      for (const key of ["one", "two"]) await server.store.saveCredential(ADA, key, TOKEN);
      writeKeys("b", "a", "b");
      parts.clock.advance(1000);
      await server.store.saveCredential(ADA, "fresh", TOKEN);
      expect(await run("reseal")).toEqual({
        code: 0,
        text: "2 of 3 credentials were sealed with the current key. All have the current key.",
      });
      expect((await server.store.loadCredential(ADA, "one"))?.credential).toEqual(TOKEN);
    }
    writeKeys("b", "b");
    await using server = await serve();
    for (const key of ["one", "two", "fresh"])
      expect((await server.store.loadCredential(ADA, key))?.credential).toEqual(TOKEN);
  });

  it("fails and names those whose key is missing, without any value", async () => {
    verifies("platform:credentials:resealed");
    const { writeKeys, serve, run } = createWorld();
    {
      await using server = await serve();
      await server.store.saveCredential({ ...ADA, userId: "ä b" }, "tool", TOKEN);
    }
    writeKeys("b", "b");
    const { code, text } = await run("reseal");
    expect([code, text.split("\n")]).toEqual([
      1,
      [
        'Not resealed: default app "ä b" tool, sealed with a: CREDENTIAL_KEY_UNAVAILABLE',
        "0 of 1 credentials were sealed with the current key. 1 have another key or are damaged.",
      ],
    ]);
    const json = await run("reseal", ["--json"]);
    expect([json.code, JSON.parse(json.text)]).toMatchObject([1, { count: 1, resealed: 0, left: [{}] }]);
    expect(text + json.text).not.toContain(TOKEN.apiKey);
  });

  it("creates nothing where there are no credentials", async () => {
    const { run } = createWorld();
    expect(await run("reseal")).toEqual({ code: 0, text: "There are no credentials." });
  });

  it("refuses other words, and a store in memory", async () => {
    const { run } = createWorld();
    await expect(run(undefined)).rejects.toThrow(UsageError);
    await expect(run("seal")).rejects.toThrow(UsageError);
    await expect(run("reseal", [], "more")).rejects.toThrow(UsageError);
    await expect(createWorld({ CREDENTIAL_STORE: "memory" }).run("reseal")).rejects.toThrow(
      "CREDENTIAL_STORE is memory",
    );
  });
});
