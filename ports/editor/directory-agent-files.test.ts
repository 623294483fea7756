import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { DirectoryAgentFiles } from "./directory-agent-files.ts";

const OLD = "name: old\nagent_class: LlmAgent\ninstruction: x\n";
const NEW = "name: new\nagent_class: LlmAgent\ninstruction: x\n";
const SHOP = { "shop/root_agent.yaml": OLD, "shop/sub.yaml": "name: sub\nagent_class: LlmAgent\ninstruction: x\n" };

function open(files: Record<string, string> = SHOP) {
  const folder = agentsFolder(files);
  const listFiles = (): readonly string[] => {
    const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.path.length + 1))
      .sort();
  };
  return { path: folder.path, listFiles, editor: new DirectoryAgentFiles(folder.path) };
}

const one = (text: string, path = "root_agent.yaml") => new Map([[path, text]]);
const PERMANENT = { temporary: false };
const DRAFT = { temporary: true };

describe("DirectoryAgentFiles", () => {
  it("reads a file, by default the root agent's", async () => {
    const { editor } = open();
    expect(await editor.read("shop", PERMANENT)).toBe(OLD);
    expect(await editor.read("shop", { filePath: "sub.yaml", temporary: false })).toBe(SHOP["shop/sub.yaml"]);
    expect(await editor.read("shop", { filePath: "none.yaml", temporary: false })).toBeUndefined();
    expect(await editor.read("unknown", PERMANENT)).toBeUndefined();
  });

  it("keeps a draft separate from the app until it is saved permanently", async () => {
    const { editor, listFiles } = open();
    expect(await editor.read("shop", DRAFT)).toBe(OLD);
    expect(await editor.save("shop", one(NEW), DRAFT)).toBe(true);
    expect([await editor.read("shop", DRAFT), await editor.read("shop", PERMANENT)]).toEqual([NEW, OLD]);
    expect(listFiles()).toEqual(["shop/.draft/root_agent.yaml", "shop/root_agent.yaml", "shop/sub.yaml"]);
    expect(await editor.save("shop", one(OLD, "sub.yaml"), PERMANENT)).toBe(true);
    expect([
      await editor.read("shop", PERMANENT),
      await editor.read("shop", { ...PERMANENT, filePath: "sub.yaml" }),
    ]).toEqual([NEW, OLD]);
    expect(listFiles()).toEqual(["shop/root_agent.yaml", "shop/sub.yaml"]);
  });

  it.each(["a".repeat(256), "a.".repeat(3000).concat("a")])(
    "refuses names that no file system accepts: %.10s…",
    async (name) => {
      const { editor } = open();
      await expect(editor.read(name, PERMANENT)).rejects.toThrow("is longer than 255 bytes");
      await expect(editor.save(name, one(NEW), PERMANENT)).rejects.toThrow("is longer than 255 bytes");
      await expect(editor.cancel(name)).rejects.toThrow("is longer than 255 bytes");
    },
  );

  it("drops a draft", async () => {
    const { editor, path } = open();
    await editor.save("shop", one(NEW), DRAFT);
    expect(await editor.cancel("shop")).toBe(true);
    expect([await editor.read("shop", DRAFT), existsSync(join(path, "shop/.draft"))]).toEqual([OLD, false]);
    expect(await editor.cancel("shop")).toBe(true);
  });

  it("creates a new app, with files in folders", async () => {
    const { editor, listFiles } = open({});
    const files = new Map([
      ["root_agent.yaml", NEW],
      ["parts/one.yml", OLD],
    ]);
    await editor.save("group.fresh", files, PERMANENT);
    expect(listFiles()).toEqual(["group/fresh/parts/one.yml", "group/fresh/root_agent.yaml"]);
  });

  it.each([
    "../other/root_agent.yaml",
    "/etc/x.yaml",
    "a/../../x.yaml",
    "a//x.yaml",
    "a\\x.yaml",
    "C:x.yaml",
    ".hidden.yaml",
    ".git/x.yaml",
    ".draft/x.yaml",
    "agent.ts",
    "x.yaml.ts",
    "x.yaml\u0000.ts",
    "",
  ])("refuses the path %j", async (path) => {
    const { editor, listFiles } = open();
    const refusal = expect.objectContaining({ reason: "INVALID_FIELD" });
    await expect(editor.save("shop", one(NEW, path), PERMANENT)).rejects.toEqual(refusal);
    await expect(editor.save("shop", one(NEW, path), DRAFT)).rejects.toEqual(refusal);
    await expect(editor.read("shop", { filePath: path, temporary: false })).rejects.toEqual(refusal);
    expect(listFiles()).toEqual(["shop/root_agent.yaml", "shop/sub.yaml"]);
  });

  it.each(["..", "../shop", "a/b", "", ".", "a..b", "tmp", "shop.tmp", "a\u0000", "-x"])(
    "refuses the app name %j",
    async (appName) => {
      const { editor } = open();
      const refusal = expect.objectContaining({ reason: "INVALID_FIELD" });
      await expect(editor.read(appName, PERMANENT)).rejects.toEqual(refusal);
      await expect(editor.save(appName, one(NEW), PERMANENT)).rejects.toEqual(refusal);
      await expect(editor.cancel(appName)).rejects.toEqual(refusal);
    },
  );

  it.each([
    ["arguments of a tool", "name: a\ninstruction: x\ntools:\n  - name: x\n    args: {command: rm}", "5:5"],
    ["a tag", "name: !js/function x", "1:20"],
    ["broken YAML", "name: [", "1:8"],
  ])("refuses %s, and then saves none of the files", async (_, text, place) => {
    const { editor, listFiles } = open();
    const files = new Map([
      ["root_agent.yaml", NEW],
      ["bad.yaml", text],
    ]);
    await expect(editor.save("shop", files, PERMANENT)).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      message: expect.stringContaining(`bad.yaml:${place} `),
    });
    expect(await editor.read("shop", PERMANENT)).toBe(OLD);
    expect(listFiles()).toEqual(["shop/root_agent.yaml", "shop/sub.yaml"]);
  });

  it("neither reads nor writes through a link out of the app's folder", async () => {
    const { editor, path } = open({ ...SHOP, "secret/x.yaml": "name: secret" });
    symlinkSync(join(path, "secret"), join(path, "shop/link"));
    symlinkSync(join(path, "secret/x.yaml"), join(path, "shop/file.yaml"));
    expect(await editor.read("shop", { filePath: "link/x.yaml", temporary: false })).toBeUndefined();
    expect(await editor.read("shop", { filePath: "file.yaml", temporary: false })).toBeUndefined();
    await expect(editor.save("shop", one(NEW, "link/x.yaml"), PERMANENT)).rejects.toMatchObject({
      reason: "INVALID_FIELD",
    });
    // A link to a file is replaced, not followed.
    await editor.save("shop", one(NEW, "file.yaml"), PERMANENT);
    expect(readFileSync(join(path, "secret/x.yaml"), "utf8")).toBe("name: secret");
  });

  it("leaves apps in code alone", async () => {
    const { editor } = open({ "code/agent.ts": "", "code/root_agent.yaml": OLD });
    expect(await editor.read("code", PERMANENT)).toBeUndefined();
    await expect(editor.save("code", one(NEW), PERMANENT)).rejects.toMatchObject({ reason: "INVALID_FIELD" });
  });
});
