import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DefinitionProblem } from "#kit/definitions/yaml/definition-problem.ts";
import { ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { parseDefinition } from "#kit/definitions/yaml/parse-definition.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { DirectoryAgentFiles } from "./directory-agent-files.ts";
import { EDITOR_LIMITS, type EditorLimits } from "./editor-limits.ts";

const TEXT = "name: a\ninstruction: x\n";
const ROOT = new Map([["root_agent.yaml", TEXT]]);
const SAVED = { temporary: false };

function open(limits: Partial<EditorLimits>, files: Readonly<Record<string, string>> = {}) {
  const { path } = agentsFolder(files);
  return { path, editor: new DirectoryAgentFiles(path, { limits: { ...EDITOR_LIMITS, ...limits } }) };
}

describe("the editor's limits", () => {
  it("apply to the number of apps, including drafts and groups", async () => {
    const { path, editor } = open({ maxFolders: 4 }, { "old/root_agent.yaml": TEXT });
    await editor.save("draft", ROOT, { temporary: true });
    await editor.save("new", ROOT, SAVED);
    const refusal = '"more" would be one app too many: the editor makes at most 4.';
    await expect(editor.save("more", ROOT, SAVED)).resolves.toBe(true);
    await expect(editor.save("more2", ROOT, SAVED)).rejects.toThrow(refusal.replace("more", "more2"));
    await expect(editor.save("old.inner", ROOT, { temporary: true })).rejects.toThrow("one app too many");
    await editor.save("old", ROOT, SAVED);
    expect(readdirSync(path)).toEqual(["draft", "more", "new", "old"]);
  });

  it("apply to the files of an app, including existing ones", async () => {
    const { editor } = open({ maxFilesPerApp: 2 }, { "shop/root_agent.yaml": TEXT, "shop/parts/own.yaml": TEXT });
    await editor.save("shop", ROOT, SAVED);
    const one = new Map([["one.yaml", TEXT]]);
    await expect(editor.save("shop", one, SAVED)).rejects.toThrow(
      '"one.yaml" would be one file too many: an app has at most 2 definitions.',
    );
  });

  it("apply to drafts as they do to what is saved for good", async () => {
    const { editor } = open({ maxFilesPerApp: 2, maxFileBytes: 1024, maxBytesPerApp: 1500 });
    const draft = (files: Readonly<Record<string, number>>) =>
      editor.save(
        "shop",
        new Map(Object.entries(files).map(([path, bytes]) => [path, TEXT + "#".repeat(bytes - TEXT.length)])),
        { temporary: true },
      );
    await expect(draft({ "root_agent.yaml": 1025 })).rejects.toThrow("is over 1 KiB.");
    await expect(draft({ "root_agent.yaml": 1000, "b.yaml": 501 })).rejects.toThrow("is too much");
    await expect(draft({ "root_agent.yaml": 90, "b.yaml": 90, "c.yaml": 90 })).rejects.toThrow("one file too many");
    await expect(draft({ "root_agent.yaml": 1000, "b.yaml": 500 })).resolves.toBe(true);
  });

  it("apply to the bytes of a file, and to the total of an app", async () => {
    const { editor } = open({ maxFileBytes: 1024, maxBytesPerApp: 1500 });
    const sized = (path: string, bytes: number) => new Map([[path, TEXT + "#".repeat(bytes - TEXT.length)]]);
    await expect(editor.save("shop", sized("a.yaml", 1025), SAVED)).rejects.toThrow('"a.yaml" is over 1 KiB.');
    await editor.save("shop", sized("a.yaml", 1000), SAVED);
    await expect(editor.save("shop", sized("b.yaml", 600), { temporary: false })).rejects.toThrow(
      '"b.yaml" is too much: the definitions of an app have at most 1.46484375 KiB together.',
    );
  });
});

it("serves a definition that is too large to be parsed as it lies", async () => {
  verifies("peers:editor:yaml");
  const notes = (count: number) => `name: a\ninstruction: x\nnotes: [${"1,".repeat(count)}]\n`;
  const { editor } = open({}, { "big/root_agent.yaml": notes(20_001), "small/root_agent.yaml": notes(9) });
  const texts = await Promise.all(["big", "small"].map((app) => editor.read(app, { temporary: false })));
  expect(texts.map((text) => text?.includes("agent_class"))).toEqual([false, true]);
});

it.each([
  ["lists", "a: ["],
  ["anchors", "- &a *a\n"],
  ["short members", "a: 1\n"],
  ["flow maps", "{a: {a: 1}, "],
])("a definition of many %s is refused before it is parsed", async (_, piece) => {
  verifies("peers:editor:yaml");
  const found: DefinitionProblem[] = [];
  const problems = new ProblemList("root_agent.yaml", found);
  const before = process.threadCpuUsage();
  expect(await parseDefinition(piece.repeat(Math.floor(200_000 / piece.length)), problems)).toBeUndefined();
  const { user, system } = process.threadCpuUsage(before);
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining("more than 20000 values")]);
  expect((user + system) / 1000).toBeLessThan(400);
});
