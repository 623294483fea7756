import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DirectoryAgentFiles } from "#ports/editor/directory-agent-files.ts";
import { injectFileFaults } from "#test/helpers/faults/file-faults.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

const agent = (name: string, more = "") => `name: ${name}\nagent_class: LlmAgent\ninstruction: x\n${more}`;
const SUBS = "sub_agents:\n  - config_path: sub.yaml\n";
const STORED = {
  "shop/root_agent.yaml": agent("shop", SUBS),
  "shop/sub.yaml": agent("sub"),
  "shop/.draft/sub.yaml": agent("sub", "description: draft\n"),
};
const UPLOAD = new Map([["root_agent.yaml", agent("shop", `description: new\n${SUBS}`)]]);
const NESTED = new Map([
  ["root_agent.yaml", agent("stall", "sub_agents:\n  - config_path: more/sub.yaml\n")],
  ["more/sub.yaml", agent("sub")],
]);
// More calls than a save makes, so that an endless loop fails the test.
const MAX_CALLS = 300;
const TIMEOUT_MS = 60_000;

/** All files and empty folders, with the files' content. */
function treeOf(root: string): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const full = join(root, path);
      return [path, statSync(full).isDirectory() ? "" : readFileSync(full, "utf8")];
    }),
  );
}

interface Case {
  readonly name: string;
  readonly run: (editor: DirectoryAgentFiles) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  { name: "a save over an app with a draft", run: (editor) => editor.save("shop", UPLOAD, { temporary: false }) },
  { name: "a save of a new app", run: (editor) => editor.save("stall", NESTED, { temporary: false }) },
  { name: "a draft", run: (editor) => editor.save("shop", UPLOAD, { temporary: true }) },
];

async function treeAfter({ run }: Case): Promise<unknown> {
  const { path } = agentsFolder(STORED);
  await run(new DirectoryAgentFiles(path));
  return treeOf(path);
}

const UNAVAILABLE = { httpStatus: 503, reason: expect.stringMatching(/^(STORAGE_FULL|STORE_UNAVAILABLE)$/) };

describe.each(["ENOSPC", "EMFILE", "EIO"])("a call of the file system that fails with %s", (code) => {
  it.each(CASES)(
    "leaves everything or nothing of $name, and the next one works",
    { timeout: TIMEOUT_MS },
    async (saving) => {
      const saved = await treeAfter(saving);
      for (let call = 1; ; call += 1) {
        expect(call, "too many calls").toBeLessThan(MAX_CALLS);
        const { path } = agentsFolder(STORED);
        const before = treeOf(path);
        const editor = new DirectoryAgentFiles(path);
        using faults = injectFileFaults();
        faults.failCall(call, code);
        const [outcome] = await Promise.allSettled([saving.run(editor)]);
        const { hasFailed } = faults;
        faults.heal();
        if (outcome?.status === "fulfilled") expect(treeOf(path), `call ${call}`).toEqual(saved);
        else {
          expect(outcome?.reason, `call ${call}`).toMatchObject(UNAVAILABLE);
          expect(treeOf(path), `call ${call}`).toEqual(before);
        }
        await saving.run(editor);
        expect(treeOf(path), `after call ${call}`).toEqual(saved);
        if (!hasFailed) break;
      }
    },
  );

  it("does not take a file for missing when it cannot be read", async () => {
    const { path } = agentsFolder(STORED);
    const editor = new DirectoryAgentFiles(path);
    const read = () => editor.read("shop", { temporary: false });
    using faults = injectFileFaults();
    for (let call = 1; call < MAX_CALLS; call += 1) {
      faults.failCall(call, code);
      const [outcome] = await Promise.allSettled([read()]);
      const { hasFailed } = faults;
      faults.heal();
      if (outcome?.status === "rejected") expect(outcome.reason).toMatchObject(UNAVAILABLE);
      else expect(outcome?.value).toBe(STORED["shop/root_agent.yaml"]);
      expect(await read()).toBe(STORED["shop/root_agent.yaml"]);
      if (!hasFailed) break;
    }
  });
});

it("refuses saves with STORAGE_FULL while the disk is full, keeps what was there, and saves when there is space", async () => {
  const { path } = agentsFolder(STORED);
  const before = treeOf(path);
  const editor = new DirectoryAgentFiles(path);
  using faults = injectFileFaults();
  faults.failWrites("ENOSPC");
  for (const { run } of CASES)
    await expect(run(editor)).rejects.toMatchObject({ httpStatus: 503, reason: "STORAGE_FULL" });
  expect(treeOf(path)).toEqual(before);
  faults.heal();
  for (const { run } of CASES) expect(await run(editor)).toBe(true);
});
