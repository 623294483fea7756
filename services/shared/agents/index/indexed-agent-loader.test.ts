import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { IndexedAgentLoader } from "./indexed-agent-loader.ts";

const definition = (text: string): string => `name: shop\nmodel: demo/chat\ninstruction: ${text}\n`;
const FILES = {
  "one/root_agent.yaml": definition("one"),
  "two/root_agent.yaml": definition("two"),
  "agents/shop/root_agent.yaml": definition("of the folder"),
  "agents/other/root_agent.yaml": definition("other"),
};

async function revisionOf(directory: string): Promise<string> {
  const loader = new DirectoryAgentLoader({ appName: "shop", directory, hotReload: false });
  const { agentRevision = "" } = await loader.loadAgent("shop");
  await loader.close();
  return agentRevision;
}

/** A folder with two versions, and the text of an index with their weights. */
async function versions() {
  const folder = agentsFolder(FILES);
  const [one, two] = [await revisionOf(join(folder.path, "one")), await revisionOf(join(folder.path, "two"))];
  const entry = (agentRevision: string, name: string, weight: number): string =>
    `    - {agentRevision: "${agentRevision}", folder: ${name}, weight: ${weight}}\n`;
  const index = (ofOne: number, ofTwo: number): string =>
    `apps:\n  shop:\n${entry(two, "two", ofTwo)}${entry(one, "one", ofOne)}`;
  return { folder, one, two, index, file: join(folder.path, "index.yaml") };
}

async function open(file: string, folder: string) {
  const logger = new RecordingLogger();
  const loader = await IndexedAgentLoader.open({
    ...{ file, logger, pollMs: 20 },
    others: new DirectoryAgentLoader({ directory: join(folder, "agents"), hotReload: false }),
    open: (appName, directory) => new DirectoryAgentLoader({ appName, directory, logger }),
  });
  onTestFinished(() => loader.close());
  return { loader, logger };
}

it("serves the versions of the index side by side, and other apps from their folder", async () => {
  const { folder, one, two, index, file } = await versions();
  writeFileSync(file, index(90, 10));
  const { loader } = await open(file, folder.path);
  expect(await loader.listAgents()).toEqual(["other", "shop"]);
  const [first, second] = [await loader.findRevision("shop", one), await loader.findRevision("shop", two)];
  expect([first?.name, first?.agentRevision, second?.agentRevision]).toEqual(["shop", one, two]);
  expect(await loader.loadAgent("shop")).toBe(first);
  expect(await loader.findRevision("shop", "000000000000")).toBeUndefined();
  expect([first, second].map((loaded) => loaded !== undefined && loader.keeps(loaded.app))).toEqual([true, true]);
  expect((await loader.loadAgent("other")).name).toBe("other");
  expect(loader.sharesOf("other")).toBeUndefined();
});

it("reads a changed index, keeps what is loaded, and forgets what is no longer listed", async () => {
  const { folder, one, two, index, file } = await versions();
  writeFileSync(file, index(90, 10));
  const { loader } = await open(file, folder.path);
  const [first, second] = [await loader.findRevision("shop", one), await loader.findRevision("shop", two)];
  const shares = loader.sharesOf("shop");
  writeFileSync(file, `# the same\n${index(90, 10)}`);
  await loader.refresh();
  expect(loader.sharesOf("shop")).toBe(shares);
  writeFileSync(file, index(0, 100));
  await vi.waitFor(() => expect(loader.sharesOf("shop")).not.toBe(shares));
  expect(await loader.loadAgent("shop")).toBe(second);
  writeFileSync(file, index(0, 100).split("\n").slice(0, 3).join("\n"));
  await vi.waitFor(async () => expect(await loader.findRevision("shop", one)).toBeUndefined());
  expect(first !== undefined && loader.keeps(first.app)).toBe(false);
  writeFileSync(file, "apps: {}");
  await vi.waitFor(() => expect(loader.sharesOf("shop")).toBeUndefined());
  expect((await loader.loadAgent("shop")).agentRevision).not.toBe(one);
});

it("keeps the last valid index while its file is broken or gone, and says so once", async () => {
  const { folder, one, index, file } = await versions();
  writeFileSync(file, index(90, 10));
  const { loader, logger } = await open(file, folder.path);
  const shares = loader.sharesOf("shop");
  writeFileSync(file, "apps: 3");
  for (let check = 0; check < 3; check += 1) await loader.refresh();
  expect(loader.sharesOf("shop")).toBe(shares);
  expect(logger.lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
    expect.stringContaining("apps must be a map"),
  ]);
  rmSync(file);
  await loader.refresh();
  expect((await loader.findRevision("shop", one))?.agentRevision).toBe(one);
});

it("refuses a folder with other files than the index says, until they are right", async () => {
  const { folder, one, index, file } = await versions();
  writeFileSync(file, index(90, 10));
  folder.write("one/root_agent.yaml", definition("changed"));
  const { loader } = await open(file, folder.path);
  await expect(loader.findRevision("shop", one)).rejects.toThrow(/folder .*one of the app shop has the agent revision/);
  folder.write("one/root_agent.yaml", FILES["one/root_agent.yaml"]);
  await vi.waitFor(async () => expect((await loader.findRevision("shop", one))?.agentRevision).toBe(one), {
    timeout: 10_000,
  });
  folder.write("one/root_agent.yaml", "name: [");
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await loader.findRevision("shop", one))?.agentRevision).toBe(one);
});

it("is refused at the start if it cannot be read", async () => {
  const { folder, file } = await versions();
  await expect(open(file, folder.path)).rejects.toThrow("AGENTS_INDEX: ");
  writeFileSync(file, "apps: 3");
  await expect(open(file, folder.path)).rejects.toThrow("apps must be a map");
});
