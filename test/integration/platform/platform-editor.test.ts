import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const AGENT = "name: poet\nagent_class: LlmAgent\nmodel: demo/chat\ninstruction: Write poems.\n";

async function save(url: string, name: string): Promise<Response> {
  const form = new FormData();
  form.append("files", new File([AGENT], `${name}/root_agent.yaml`));
  return fetch(`${url}/builder/save`, { method: "POST", body: form });
}

describe.skipIf(whyNoRedis() !== undefined)("the editor in front of six processes", { timeout: 90_000 }, () => {
  it("has a new app listed and answering when its save is answered", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": AGENT });
    await using world = await PlatformWorld.create({ settings: { AGENTS_DIR: folder.path, AGENT_EDITOR: "true" } });
    world.startAll();
    await world.untilReady();
    const list = async (): Promise<unknown> => (await fetch(`${world.url}/list-apps`)).json();
    expect(await list()).toEqual(["shop"]);
    for (const name of ["first", "second", "third"]) {
      const saved = await save(world.url, name);
      expect([saved.status, await saved.text()]).toEqual([200, "true"]);
      expect(await list()).toContain(name);
      const client = new PlatformClient(world.url, name);
      await client.createSession("talk");
      expect((await client.run("talk", "hello")).status).toBe(200);
    }
  });
});
