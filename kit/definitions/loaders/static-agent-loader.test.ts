import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { appNotFound } from "./agent-loader.ts";
import { StaticAgentLoader } from "./static-agent-loader.ts";

describe("StaticAgentLoader", () => {
  it("serves the agents it was given, by their names", async () => {
    verifies(
      "what-the-service-does:static-loader",
      "what-the-service-does:loader-list-agents",
      "what-the-service-does:agent-loader",
      "operations:loader:list-agents",
      "operations:loader:load",
    );
    const echo = new LlmAgent({ name: "echo" });
    const plugin = { name: "watcher" };
    const app = createApp({ name: "shop", rootAgent: new LlmAgent({ name: "clerk" }), plugins: [plugin] });
    const loader = new StaticAgentLoader([app, echo]);
    expect(await loader.listAgents()).toEqual(["echo", "shop"]);
    expect(await loader.loadAgent("shop")).toEqual({ name: "shop", app, language: "typescript", version: 1 });
    expect((await loader.loadAgent("echo")).app.rootAgent).toBe(echo);
  });

  it("knows no other app", async () => {
    verifies("operations:loader:load-signature");
    const loader = new StaticAgentLoader([]);
    await expect(loader.loadAgent("echo")).rejects.toMatchObject({
      reason: "APP_NOT_FOUND",
      details: { appName: "echo" },
    });
  });

  it("refuses two apps of one name", () => {
    const twice = [new LlmAgent({ name: "echo" }), new LlmAgent({ name: "echo" })];
    expect(() => new StaticAgentLoader(twice)).toThrow(expect.objectContaining({ reason: "DUPLICATE_NAME" }));
  });
});

it("names the first apps of many in the message for one that does not exist", () => {
  const names = Array.from({ length: 22 }, (_, index) => `app-${index}-of-many`);
  const { message } = appNotFound("shop", names);
  expect(message).toMatch(/^App not found: shop\. Apps: app-0-of-many, .*app-19-of-many, and 2 more\.$/);
  expect(appNotFound("shop").message).toBe("App not found: shop");
});
