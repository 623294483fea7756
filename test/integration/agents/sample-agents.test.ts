import { describe, expect, it, onTestFinished } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { AGENTS, conversesAsWritten } from "./sample-conversations.ts";

describe("sample agents", () => {
  it("are all there, each with a README", async () => {
    const loader = new DirectoryAgentLoader({ directory: AGENTS, hotReload: false });
    onTestFinished(() => loader.close());
    const names = await loader.listAgents();
    expect(names).toEqual([
      "artist",
      "assistant",
      "bench",
      "expenses",
      "form_filler",
      "front_office",
      "library",
      "live_desk",
      "long_memory",
      "research_desk_yaml",
      "research_team_yaml",
      "service_desk",
      "slogan_critic",
      "travel_desk_yaml",
      "weather",
      "writer_pipeline",
    ]);
    for (const name of names) {
      const { readme, language, app } = await loader.loadAgent(name);
      expect(readme, name).toMatch(/^# /);
      expect(app.rootAgent.description, name).not.toBe("");
      expect(language, name).toBe(name.endsWith("_yaml") ? "yaml" : "typescript");
    }
  });

  conversesAsWritten();
});
