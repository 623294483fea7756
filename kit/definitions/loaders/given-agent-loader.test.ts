import { describe, expect, it } from "vitest";
import { type App, createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GivenAgentLoader, toAgentLoader } from "./given-agent-loader.ts";
import { StaticAgentLoader } from "./static-agent-loader.ts";

const agent = new LlmAgent({ name: "helper" });
const app = createApp({ name: "shop", rootAgent: new LlmAgent({ name: "clerk" }) });
const returning = (answer: unknown) =>
  toAgentLoader({ listAgents: () => [], loadAgent: () => answer } as unknown as GivenAgentLoader);

describe("a loader of the program's own", () => {
  it("may return agents and apps, at once or later, and needs no close", async () => {
    verifies("operations:loader:load-signature");
    const agents = new Map<string, App | BaseAgent>([
      ["shop", app],
      ["desk", agent],
    ]);
    const loader = toAgentLoader({
      listAgents: () => [...agents.keys()],
      loadAgent: async (name) => agents.get(name),
    });
    expect(await loader.listAgents()).toEqual(["desk", "shop"]);
    expect(await loader.loadAgent("shop")).toEqual({ name: "shop", app, language: "typescript", version: 1 });
    const desk = await loader.loadAgent("desk");
    expect([desk.app.name, desk.app.rootAgent]).toEqual(["desk", agent]);
    // A runner keeps what it makes for an app.
    expect(await loader.loadAgent("desk")).toBe(desk);
    await expect(loader.loadAgent("other")).rejects.toMatchObject({ reason: "APP_NOT_FOUND" });
    await loader.close();
  });

  it("may be one of the kit's, whose apps are served as they are and which is closed", async () => {
    const own = new StaticAgentLoader([app]);
    let closed = 0;
    const loader = toAgentLoader({
      listAgents: () => own.listAgents(),
      loadAgent: (name) => own.loadAgent(name),
      close: () => void (closed += 1),
    });
    expect(await loader.loadAgent("shop")).toBe(await own.loadAgent("shop"));
    await loader.close();
    expect(closed).toBe(1);
  });

  it.each([[{}], ["shop"], [app], [{ name: "helper", app }], [{ app: {} }], [7]])(
    "is named in the error if it returns %o for another name",
    async (answer) => {
      await expect(returning(answer).loadAgent("helper")).rejects.toMatchObject({
        reason: "INVALID_FIELD",
        message: expect.stringContaining('agentLoader.loadAgent("helper")'),
      });
    },
  );
});
