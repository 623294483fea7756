import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { DirectoryAgentLoader } from "#kit/definitions/directory-agent-loader.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { Runner } from "#kit/runner/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

const AGENTS = join(REPOSITORY_ROOT, "agents");

async function talk(name: string, text: string) {
  const loader = new DirectoryAgentLoader({ directory: AGENTS, hotReload: false });
  onTestFinished(() => loader.close());
  const { app } = await loader.loadAgent(name);
  const artifacts = new InMemoryArtifactService({ clock: new FixedClock() });
  const runner = new Runner({ app, artifactService: artifacts });
  const newMessage = userContent(text);
  const run = runner.runAsync({ userId: "u", sessionId: "s", newMessage, runConfig: { autoCreateSession: true } });
  const events = await Array.fromAsync(run);
  return { events, artifacts };
}

/** Each event as its author and what it says or does. */
function outline(events: readonly Event[]): readonly string[] {
  return events.map(({ author, content }) => {
    const [part = {}] = content?.parts ?? [];
    const { functionCall, functionResponse } = part;
    const deed = functionCall?.name ?? functionResponse?.name;
    if (deed !== undefined) return `${author} ${functionCall === undefined ? "got" : "calls"} ${deed}`;
    return `${author}: ${textOf(content)}`;
  });
}

describe("sample agents", () => {
  it("are all there, each with a README", async () => {
    const loader = new DirectoryAgentLoader({ directory: AGENTS, hotReload: false });
    onTestFinished(() => loader.close());
    const names = await loader.listAgents();
    expect(names).toEqual(["artist", "assistant", "bench", "travel_desk_yaml", "weather", "writer_pipeline"]);
    for (const name of names) {
      const { readme, language, app } = await loader.loadAgent(name);
      expect(readme, name).toMatch(/^# /);
      expect(app.rootAgent.description, name).not.toBe("");
      expect(language, name).toBe(name.endsWith("_yaml") ? "yaml" : "typescript");
    }
  });

  it("weather: calls its tool for each city and reports", async () => {
    const { events } = await talk("weather", "What is the weather in Paris and Rome?");
    expect(outline(events)).toEqual([
      "weather calls get_weather",
      "weather got get_weather",
      expect.stringMatching(/^weather: \(demo model\) .*in Paris, at .*in Rome, at /),
    ]);
    expect(events[0]?.content?.parts?.map(({ functionCall }) => functionCall?.args)).toEqual([
      { city: "Paris" },
      { city: "Rome" },
    ]);
  });

  it("writer_pipeline: three agents, each building on the one before", async () => {
    const { events } = await talk("writer_pipeline", "A short text about lighthouses");
    expect(events.map(({ author, actions }) => [author, Object.keys(actions.stateDelta)])).toEqual([
      ["outliner", ["outline"]],
      ["drafter", ["draft"]],
      ["editor", ["text"]],
    ]);
  });

  it("artist: saves the picture that was asked for", async () => {
    const { events, artifacts } = await talk("artist", "Draw a red star, please");
    expect(events.map(({ actions }) => actions.artifactDelta)).toEqual([{}, { "red-star.png": 0 }, {}]);
    const session = { appName: "artist", userId: "u", id: "s" };
    const part = await artifacts.loadArtifact({ session, filename: "red-star.png" });
    expect(part?.inlineData?.mimeType).toBe("image/png");
    expect(
      Buffer.from(part?.inlineData?.data ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });

  it.each([
    ["Find me a flight to Rome", "flight_desk", "find_flights", "Flight AP 104 to Rome"],
    ["I need a hotel room in Lisbon", "hotel_desk", "find_hotels", "Hotel Lisbon"],
  ])("travel_desk_yaml: hands %j over to %s", async (text, desk, tool, answer) => {
    const { events } = await talk("travel_desk_yaml", text);
    expect(outline(events)).toEqual([
      "travel_desk calls transfer_to_agent",
      "travel_desk got transfer_to_agent",
      `${desk} calls ${tool}`,
      `${desk} got ${tool}`,
      expect.stringContaining(answer),
    ]);
  });

  it("bench: obeys", async () => {
    const { events } = await talk("bench", "fill=3");
    expect(outline(events)).toEqual(["bench: ok", "bench: ok", "bench: ok"]);
  });
});
