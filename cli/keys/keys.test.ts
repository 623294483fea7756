import { describe, expect, it } from "vitest";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { parseKey } from "#services/gateway/identity/keys/key-text.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { UsageError } from "../parse-arguments.ts";
import { keys } from "./keys.ts";

function startWorld(settings: Readonly<Record<string, string>> = {}) {
  const clock = new FixedClock();
  const config = loadConfig(standaloneConfigSchema, { DATA_DIR: agentsFolder({}).path, ...settings });
  const run = (action: string | undefined, flags: Readonly<Record<string, string>> = {}, ...words: string[]) =>
    keys({ action, words, flags: new Map(Object.entries(flags)), config, clock, ids: new UuidV7Generator() });
  return { clock, run };
}

const CREATE = { "--name": "ci", "--scopes": "runs:write, ops" };

describe("fairlead keys", () => {
  it("creates a key, which it shows once, and lists and revokes it", async () => {
    const { clock, run } = startWorld();
    expect(await run("list")).toBe("No keys.");
    const [text = "", ...notes] = (
      await run("create", { ...CREATE, "--tenant": "acme", "--user": "ada", "--app": "a,b", "--expires": "90d" })
    ).split("\n");
    const id = parseKey(text)?.id ?? "";
    expect(notes).toEqual([
      `This is the only time that the key is shown. Its id is ${id}.`,
      "A server accepts it with AUTH=api-key.",
    ]);
    clock.advance(90 * 24 * 3600 * 1000 - 1);
    const table = async () => (await run("list")).split("\n").map((line) => line.split(/ {2,}/));
    expect(await table()).toEqual([
      ["KEY", "NAME", "STATUS", "TENANT", "USER", "APPS", "SCOPES", "AGE", "USED"],
      [id, "ci", "active", "acme", "ada", "a,b", "runs:write,ops", "89d", "never"],
    ]);
    clock.advance(1);
    expect((await table())[1]?.[2]).toBe("expired");
    expect(await run("revoke", {}, id)).toBe(
      `Key ${id} (ci) is revoked. Servers that run accept it for up to a minute.`,
    );
    expect((await table())[1]?.[2]).toBe("revoked");
    expect(await run("list", { "--json": "" })).not.toContain(text.slice(36));
  });

  it("prints JSON", async () => {
    const { run } = startWorld({ AUTH: "api-key" });
    const created = JSON.parse(await run("create", { ...CREATE, "--json": "" })) as { key: string; keyId: string };
    expect([parseKey(created.key)?.id, created]).toEqual([
      created.keyId,
      expect.objectContaining({ name: "ci", status: "active", scopes: ["runs:write", "ops"] }),
    ]);
    expect(JSON.parse(await run("revoke", { "--json": "" }, created.keyId))).toMatchObject({ status: "revoked" });
  });

  it.each<readonly [string | undefined, Readonly<Record<string, string>>, readonly string[], RegExp]>([
    [undefined, {}, [], /Usage: fairlead keys create\|list\|revoke/],
    ["crate", {}, [], /no command "keys crate".*create/],
    ["toString", {}, [], /no command "keys toString"/],
    ["create", { "--name": "ci" }, [], /needs --name and --scopes/],
    ["create", { ...CREATE, "--scopes": "run:write" }, [], /no scope "run:write".*runs:write/],
    ["create", { ...CREATE, "--tenant": "../x" }, [], /--tenant "..\/x" is not a valid tenant id/],
    ["create", { ...CREATE, "--expires": "soon" }, [], /--expires needs minutes, hours or days/],
    ["create", { ...CREATE, "--expires": "0d" }, [], /--expires needs minutes, hours or days/],
    ["create", CREATE, ["x"], /Usage: fairlead keys create/],
    ["revoke", {}, [], /Usage: fairlead keys revoke <key id>/],
    ["revoke", {}, ["../x"], /no key with the id/],
  ])("refuses %s %j %j", async (action, flags, words, message) => {
    const failure = await startWorld()
      .run(action, flags, ...words)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toMatch(message);
  });

  it("does not create keys in the memory of a command that ends", async () => {
    await expect(startWorld({ KEY_STORE: "memory" }).run("create", CREATE)).rejects.toThrow(/KEY_STORE is memory/);
  });
});
