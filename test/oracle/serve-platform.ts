import { rmSync } from "node:fs";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";
import { settingsOfProfile } from "./profiles.ts";
import type { Served } from "./replay.ts";
import { writeAgents } from "./write-agents.ts";

/** The six services as processes, with stores in files and a Redis. */
export async function servePlatform(folder: string, profile: string): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const agents = writeAgents(folder);
  stack.defer(() => rmSync(agents, { recursive: true, force: true }));
  const settings = { ...settingsOfProfile(profile), REPLAY_DIR: folder, AGENTS_DIR: agents, DEV_UI: "true" };
  const world = stack.use(await PlatformWorld.create({ settings }));
  world.startAll();
  await world.untilReady();
  const owned = stack.move();
  return { url: world.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
