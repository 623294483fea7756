import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentsFolder, agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { ConfigAgentLoader } from "./config-agent-loader.ts";

const agent = (description: string): string =>
  `name: root\nmodel: demo/chat\ninstruction: x\ndescription: ${description}\n`;

/** Enables only the kinds of watching that a test needs; the others have an interval of an hour. */
function start(folder: AgentsFolder, watch: { notices?: boolean; pollMs?: number }) {
  const logger = new RecordingLogger();
  const loader = new ConfigAgentLoader(folder.path, true, {
    logger,
    watch: { debounceMs: 1, pollMs: 3_600_000, notices: false, ...watch },
  });
  onTestFinished(() => loader.close());
  const describeApp = async (name: string): Promise<string> => {
    const { version, app } = await loader.loadAgent(name);
    return `${version} ${app.rootAgent.description}`;
  };
  return { loader, logger, describeApp };
}

describe("hot reload", () => {
  it.each([
    ["on a notice of the file system", { notices: true }],
    ["by looking from time to time", { pollMs: 5 }],
  ])("loads a changed file %s", async (_, watch) => {
    verifies("what-the-service-does:config-loader-hot-reload");
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("old") });
    const { logger, describeApp } = start(folder, watch);
    expect(await describeApp("shop")).toBe("1 old");
    const loaded = logger.next("was loaded again");
    folder.write("shop/root_agent.yaml", agent("new and longer"));
    expect((await loaded).fields).toMatchObject({ appName: "shop", version: 2 });
    expect(await describeApp("shop")).toBe("2 new and longer");
  });

  it("is on unless it is switched off", async () => {
    verifies("what-the-service-does:config-loader-hot-reload-default");
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("old") });
    const logger = new RecordingLogger();
    const loader = new ConfigAgentLoader(folder.path, undefined, { logger, watch: { debounceMs: 1 } });
    onTestFinished(() => loader.close());
    await loader.loadAgent("shop");
    const loaded = logger.next("was loaded again");
    folder.write("shop/root_agent.yaml", agent("new"));
    expect((await loaded).fields).toMatchObject({ appName: "shop", version: 2 });
  });

  it("is off when it is switched off, while another loader of the same folder reloads", async () => {
    verifies("what-the-service-does:config-loader-hot-reload-option");
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("old") });
    const [offLogger, onLogger] = [new RecordingLogger(), new RecordingLogger()];
    const off = new ConfigAgentLoader(folder.path, false, { logger: offLogger, watch: { debounceMs: 1 } });
    const on = new ConfigAgentLoader(folder.path, true, { logger: onLogger, watch: { debounceMs: 20 } });
    onTestFinished(() => Promise.all([off.close(), on.close()]).then(() => {}));
    await Promise.all([off.loadAgent("shop"), on.loadAgent("shop")]);
    const loaded = onLogger.next("was loaded again");
    folder.write("shop/root_agent.yaml", agent("new"));
    await loaded;
    expect([(await off.loadAgent("shop")).version, (await on.loadAgent("shop")).version]).toEqual([1, 2]);
    expect(offLogger.lines).toEqual([]);
  });

  it("loads a change of a file that the root refers to", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": `${agent("root")}subAgents: [{configPath: sub.yaml}]`,
      "shop/sub.yaml": "name: sub\ninstruction: x",
    });
    const { loader } = start(folder, {});
    await loader.loadAgent("shop");
    folder.write("shop/sub.yaml", "name: helper\ninstruction: x");
    await loader.refresh();
    const { app, version } = await loader.loadAgent("shop");
    expect([version, app.rootAgent.subAgents.map(({ name }) => name)]).toEqual([2, ["helper"]]);
  });

  it("finds new apps and forgets those that are removed", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("shop") });
    const { loader, describeApp } = start(folder, {});
    await loader.listAgents();
    folder.write("late/root_agent.yaml", agent("late"));
    rmSync(join(folder.path, "shop"), { recursive: true });
    await loader.refresh();
    expect(await loader.listAgents()).toEqual(["late"]);
    expect(await describeApp("late")).toBe("1 late");
    await expect(loader.loadAgent("shop")).rejects.toMatchObject({ reason: "APP_NOT_FOUND" });
  });

  it("keeps serving the last good version while a file is broken, and says what is wrong", async () => {
    verifies("definitions:broken-file");
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("good") });
    const { loader, logger, describeApp } = start(folder, {});
    await loader.loadAgent("shop");
    folder.write("shop/root_agent.yaml", "name: root\ninstruction: x\nmodle: demo/chat\ntools: 7");
    await loader.refresh();
    expect(await describeApp("shop")).toBe("1 good");
    const place = { appName: "shop", reason: "CONFIGURATION", file: "shop/root_agent.yaml", servingVersion: 1 };
    expect(logger.lines).toEqual([
      {
        level: "error",
        fields: { ...place, line: 3, column: 1 },
        message: 'The app "shop" is broken: Unknown field "modle": did you mean "model"?',
      },
      {
        level: "error",
        fields: { ...place, line: 4, column: 8 },
        message: 'The app "shop" is broken: Expected a list, found 7.',
      },
    ]);
    folder.write("shop/root_agent.yaml", agent("mended"));
    await loader.refresh();
    expect(await describeApp("shop")).toBe("2 mended");
  });

  it("keeps serving the last good version when the definition moves to another file that is broken", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("good") });
    const { loader, logger, describeApp } = start(folder, {});
    expect(await describeApp("shop")).toBe("1 good");
    rmSync(join(folder.path, "shop/root_agent.yaml"));
    folder.write("shop/root_agent.json", "{");
    await loader.refresh();
    expect(await describeApp("shop")).toBe("1 good");
    expect(logger.lines.at(-1)?.fields).toMatchObject({ file: "shop/root_agent.json", servingVersion: 1 });
    folder.write("shop/root_agent.json", JSON.stringify({ name: "root", instruction: "x", description: "moved" }));
    await loader.refresh();
    expect(await describeApp("shop")).toBe("2 moved");
  });

  it("serves an app that was broken from the start once it is fixed", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": "name: root\ninstruction: x\nsubAgents: [{configPath: late.yaml}]",
    });
    const { loader, describeApp } = start(folder, {});
    await expect(loader.loadAgent("shop")).rejects.toMatchObject({ reason: "CONFIGURATION" });
    folder.write("shop/late.yaml", "name: late\ninstruction: x");
    await loader.refresh();
    expect(await describeApp("shop")).toBe("1 ");
  });

  it("reports a new app that is broken without waiting for its first use", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("shop") });
    const { loader, logger } = start(folder, {});
    await loader.listAgents();
    const broken = logger.next("is broken");
    folder.write("late/root_agent.yaml", "name: [");
    await loader.refresh();
    expect((await broken).fields).toMatchObject({ appName: "late", file: "late/root_agent.yaml", line: 1 });
  });

  it("leaves the object that a run holds as it was", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("old") });
    const { loader } = start(folder, {});
    const held = await loader.loadAgent("shop");
    folder.write("shop/root_agent.yaml", agent("new"));
    await loader.refresh();
    expect([held.version, held.app.rootAgent.description]).toEqual([1, "old"]);
    expect((await loader.loadAgent("shop")).app).not.toBe(held.app);
  });

  it("does not load again what did not change", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": agent("same") });
    const { loader } = start(folder, {});
    const before = await loader.loadAgent("shop");
    await loader.refresh();
    expect(await loader.loadAgent("shop")).toBe(before);
  });

  it("follows a mount whose files are swapped by a link, as clusters do", async () => {
    const folder = agentsFolder({
      "mount/..one/root_agent.yaml": agent("one"),
      "mount/..two/root_agent.yaml": agent("two"),
    });
    const mount = join(folder.path, "mount");
    symlinkSync("..one", join(mount, "..data"));
    symlinkSync("..data/root_agent.yaml", join(mount, "root_agent.yaml"));
    const { logger, describeApp } = start({ ...folder, path: mount }, { pollMs: 5 });
    expect(await describeApp("mount")).toBe("1 one");
    const loaded = logger.next("was loaded again");
    symlinkSync("..two", join(mount, "..new"));
    renameSync(join(mount, "..new"), join(mount, "..data"));
    await loaded;
    expect(await describeApp("mount")).toBe("2 two");
  });

  it("follows a folder of agents that is swapped by a link", async () => {
    const folder = agentsFolder({ "v1/shop/root_agent.yaml": agent("one"), "v2/shop/root_agent.yaml": agent("two") });
    const current = join(folder.path, "current");
    symlinkSync("v1", current);
    const { loader, describeApp } = start({ ...folder, path: current }, {});
    expect(await describeApp("shop")).toBe("1 one");
    symlinkSync("v2", join(folder.path, "next"));
    renameSync(join(folder.path, "next"), current);
    await loader.refresh();
    expect(await describeApp("shop")).toBe("2 two");
  });

  it("waits for a folder of agents that comes later", async () => {
    const folder = agentsFolder({});
    const path = join(folder.path, "agents");
    const { loader, logger, describeApp } = start({ ...folder, path }, { notices: true });
    expect(await loader.listAgents()).toEqual([]);
    expect(logger.lines.map(({ message }) => message)).toEqual(["No agents were found in the folder of agents."]);
    mkdirSync(path);
    folder.write("agents/shop/root_agent.yaml", agent("late"));
    await loader.refresh();
    expect(await describeApp("shop")).toBe("1 late");
  });
});
