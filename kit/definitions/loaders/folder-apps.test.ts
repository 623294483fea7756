import { expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { findAppFolders } from "./app-folder.ts";
import { FolderApps } from "./folder-apps.ts";

it("closes only when the scan in progress has ended", async () => {
  const { path: root, write } = agentsFolder({});
  const loading = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const apps = new FolderApps({
    root,
    find: () => findAppFolders({ root, files: ["agent.yaml"] }),
    load: async ({ name }) => {
      loading.resolve();
      await gate.promise;
      log.push(`${name} is loaded`);
      return createApp({ name, rootAgent: new LlmAgent({ name: "helper" }) });
    },
    hotReload: false,
    logger: silentLogger,
  });
  await apps.listAgents();
  write("shop/agent.yaml", "");
  const scan = apps.refresh();
  await loading.promise;
  const closed = apps.close().then(() => log.push("closed"));
  setImmediate(gate.resolve);
  await Promise.all([scan, closed]);
  expect(log).toEqual(["shop is loaded", "closed"]);
});
