import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { agents } from "./agents.ts";

const definition = (text: string): string => `name: shop\nmodel: demo/chat\ninstruction: ${text}\n`;

function world(files: Readonly<Record<string, string>> = { "agents/shop/root_agent.yaml": definition("one") }) {
  const folder = agentsFolder(files);
  const config = {
    AGENTS_INDEX: join(folder.path, "index.yaml"),
    AGENTS_DIR: join(folder.path, "agents"),
    AGENT_REVISION_SALT: "",
  };
  const run = (...words: readonly string[]) => agents({ words, flags: new Map(), config, logger: silentLogger });
  /** The weights by version, the newest first; `retired` in place of a weight. */
  const weights = async (): Promise<readonly (readonly [string, number | string])[]> => {
    const json = await agents({
      words: ["list", "shop"],
      flags: new Map([["--json", ""]]),
      config,
      logger: silentLogger,
    });
    const { shop = [] } = JSON.parse(json);
    return shop.map(({ agentRevision, weight, isRetired }: Record<string, string>) => [
      agentRevision,
      isRetired ? "retired" : weight,
    ]);
  };
  return { folder, config, run, weights };
}

/** A world whose index lists two versions; returns their names, the newest first. */
async function withTwo() {
  const own = world();
  await own.run("add", "shop");
  own.folder.write("agents/shop/root_agent.yaml", definition("two"));
  await own.run("add", "shop");
  const [[two = ""] = [], [one = ""] = []] = await own.weights();
  return { ...own, one, two };
}

describe("fairlead agents", () => {
  it("adds copies of an app: the first with all sessions, further ones without", async () => {
    const { folder, weights, one, two } = await withTwo();
    expect(await weights()).toEqual([
      [two, 0],
      [one, 100],
    ]);
    const copy = (name: string) => readFileSync(join(folder.path, "revisions/shop", name, "root_agent.yaml"), "utf8");
    expect([copy(one), copy(two)]).toEqual([definition("one"), definition("two")]);
  });

  it("changes weights, pins and goes back", async () => {
    const { run, weights, one, two } = await withTwo();
    expect(await run("weight", "shop", `${two.slice(0, 6)}=10`, `${one}=90`)).toContain("10 %");
    expect(await weights()).toEqual([
      [two, 10],
      [one, 90],
    ]);
    await run("pin", "shop", two);
    expect(await weights()).toEqual([
      [two, 100],
      [one, 0],
    ]);
    await run("rollback", "shop");
    expect(await weights()).toEqual([
      [two, 0],
      [one, 100],
    ]);
    await expect(run("rollback", "shop")).rejects.toThrow(`There is no version of shop before ${one}.`);
  });

  it("removes a version only when it is retired", async () => {
    const { run, weights, one, two } = await withTwo();
    await run("pin", "shop", two);
    await expect(run("remove", "shop", one)).rejects.toThrow("retire it first");
    await run("retire", "shop", one);
    expect(await weights()).toEqual([
      [two, 100],
      [one, "retired"],
    ]);
    await expect(run("rollback", "shop")).rejects.toThrow("no version of shop before");
    await run("remove", "shop", one);
    expect(await weights()).toEqual([[two, 100]]);
    await expect(run("retire", "shop", two)).rejects.toThrow("gives no version a weight above 0");
    expect(await weights()).toEqual([[two, 100]]);
  });

  it("leaves the index and the folder as they were if a copy does not work by itself", async () => {
    const { folder, run } = world({
      "agents/shop/agent.ts":
        'import { name } from "../shared.ts"; import { LlmAgent } from "fairlead/kit"; export const rootAgent = new LlmAgent({ name, model: "demo/chat" });',
      "agents/shared.ts": 'export const name = "shop";',
    });
    await expect(run("add", "shop")).rejects.toThrow(/A copy of shop does not work by itself/);
    expect(readdirSync(folder.path).filter((name) => name.startsWith("index"))).toEqual([]);
    expect(readdirSync(join(folder.path, "revisions/shop"))).toEqual([]);
  });

  it("waits for no other command, and says which file to delete", async () => {
    const { config, run, one } = await withTwo();
    writeFileSync(`${config.AGENTS_INDEX}.new`, "");
    await expect(run("pin", "shop", one)).rejects.toThrow(`delete ${config.AGENTS_INDEX}.new`);
  });

  it.each([
    [["pin", "shop"], "Usage: fairlead agents pin <app> <revision>"],
    [["weight", "shop"], "Usage: fairlead agents weight <app> <revision>=<weight> …"],
    [["weight", "shop", "4=x"], '"4=x" is not <revision>=<weight>'],
    [["weight", "shop", "4=1001"], "a whole number from 0 to 1000"],
    [["pin", "shop", "zzz"], 'No version of shop begins with "zzz"'],
    [["pin", "toys", "1"], "The index does not list toys: fairlead agents add toys."],
    [["add", "toys"], "There is no app toys in "],
    [["add", "shop"], "of shop is in the index already."],
    [["promote", "shop"], 'There is no command "agents promote"'],
    [["list", "shop", "more"], "Usage: fairlead agents list [app]"],
  ])("refuses %j", async (words, message) => {
    await expect((await withTwo()).run(...words)).rejects.toThrow(message);
  });

  it("needs the setting", async () => {
    const config = { AGENTS_INDEX: "", AGENTS_DIR: "agents", AGENT_REVISION_SALT: "" };
    await expect(agents({ words: [], flags: new Map(), config, logger: silentLogger })).rejects.toThrow(
      "AGENTS_INDEX is empty",
    );
  });
});
