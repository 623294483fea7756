import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { type Content, textOf, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

export const AGENTS = join(REPOSITORY_ROOT, "agents");

let loader: DirectoryAgentLoader;

async function talk(name: string, text: string) {
  const { app } = await loader.loadAgent(name);
  const artifacts = new InMemoryArtifactService({ clock: new FixedClock() });
  const runner = new Runner({ app, artifactService: artifacts });
  const newMessage = userContent(text);
  const run = runner.runAsync({ userId: "u", sessionId: "s", newMessage, runConfig: { autoCreateSession: true } });
  const events = await Array.fromAsync(run);
  return { events, artifacts };
}

/** Each event as its author and its content. */
function outline(events: readonly Event[]): readonly string[] {
  return events.map(({ author, content }) => {
    const [part = {}] = content?.parts?.filter(({ thought }) => thought !== true) ?? [];
    const { functionCall, functionResponse } = part;
    const deed = functionCall?.name ?? functionResponse?.name;
    if (deed !== undefined) return `${author} ${functionCall === undefined ? "got" : "calls"} ${deed}`;
    return `${author}: ${textOf(content)}`;
  });
}

/** The conversations of the samples, for whatever model is behind the names of the demo models. */
export function conversesAsWritten(): void {
  // Loading the samples takes longer than talking to them.
  beforeAll(() => {
    loader ??= new DirectoryAgentLoader({ directory: AGENTS, hotReload: false });
  });

  it("weather: calls its tool for each city and reports", async () => {
    const { events } = await talk("weather", "What is the weather in Paris and Rome?");
    expect(outline(events)).toEqual([
      "weather calls get_weather",
      "weather got get_weather",
      expect.stringMatching(/^weather: \(demo model\) .*in Paris, at .*in Rome, at /),
    ]);
    const calls = events[0]?.content?.parts?.flatMap(({ functionCall }) => functionCall ?? []);
    expect(calls?.map(({ args }) => args)).toEqual([{ city: "Paris" }, { city: "Rome" }]);
  });

  it("writer_pipeline: three agents, each building on the one before", async () => {
    const { events } = await talk("writer_pipeline", "A short text about lighthouses");
    expect(events.map(({ author, actions }) => [author, Object.keys(actions.stateDelta)])).toEqual([
      ["outliner", ["outline"]],
      ["drafter", ["draft"]],
      ["editor", ["text"]],
    ]);
  });

  it("long_memory: repeats from a summary what was noted three turns ago", async () => {
    const { app } = await loader.loadAgent("long_memory");
    const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
    const answers: string[] = [];
    for (const words of ["note: buy milk", "note: call Ada", "note: rest", "what did I note?"]) {
      const run = runner.runAsync({ userId: "u", sessionId: "s", newMessage: userContent(words) });
      for await (const { content } of run) answers.push(textOf(content));
    }
    expect(answers.slice(2)).toEqual([
      "Noted (demo). That makes 3 notes.",
      "(demo) Your notes: buy milk; call Ada; rest. This prompt has 2 messages.",
    ]);
  });

  it("research_team_yaml: three researchers on branches of their own, then the editor", async () => {
    const { events } = await talk("research_team_yaml", "A report about lighthouses");
    const authored = events.map(({ author, branch, actions }) => [author, branch, Object.keys(actions.stateDelta)]);
    expect(authored.slice(0, 3).toSorted()).toEqual([
      ["culture_critic", "researchers.culture_critic", ["culture"]],
      ["economist", "researchers.economist", ["economy"]],
      ["historian", "researchers.historian", ["history"]],
    ]);
    expect(authored.slice(3)).toEqual([["editor", undefined, ["report"]]]);
  });

  it("research_desk_yaml: plans from what its agents read and write, for each question anew", async () => {
    const { app } = await loader.loadAgent("research_desk_yaml");
    const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
    for (const topic of ["lighthouses", "bicycles"]) {
      const newMessage = userContent(`A report about ${topic}`);
      const events = await Array.fromAsync(runner.runAsync({ userId: "u", sessionId: "s", newMessage }));
      const authored = events.map(({ author, actions }) => [author, ...Object.keys(actions.stateDelta)]);
      expect(authored.slice(0, 2)).toEqual([["research_desk"], ["librarian", "sources"]]);
      expect(authored.slice(2, 4).toSorted()).toEqual([
        ["economist", "economy"],
        ["historian", "history"],
      ]);
      expect(authored.slice(4)).toEqual([
        ["fact_checker", "checked"],
        ["editor", "report"],
      ]);
      expect(textOf(events.at(-1)?.content)).toContain(`Report on ${topic}`);
    }
  });

  it.each([
    ["My parcel is late and the invoice is wrong.", ["parcel_clerk", "invoice_clerk"]],
    ["I want a refund for a broken lamp.", ["returns_clerk"]],
    ["Good morning!", ["parcel_clerk"]],
  ])("service_desk: a supervisor decides who answers %j", async (question, clerks) => {
    const { events } = await talk("service_desk", question);
    expect(events.map(({ author }) => author)).toEqual([
      ...clerks.flatMap((clerk) => ["service_desk", clerk]),
      "service_desk",
    ]);
  });

  it("slogan_critic: revises the slogan until the critic leaves the loop", async () => {
    const { events } = await talk("slogan_critic", "A slogan for fresh bread");
    expect(outline(events)).toEqual([
      expect.stringContaining("copywriter: (demo model) First version"),
      expect.stringContaining("critic: (demo model) Too plain"),
      expect.stringContaining("copywriter: (demo model) Second version"),
      expect.stringContaining("critic: (demo model) There is a picture now"),
      expect.stringContaining("copywriter: (demo model) Third version"),
      "critic calls exit_loop",
      "critic got exit_loop",
    ]);
  });

  it.each([
    [true, "(demo model) Here is what I found. 250 euros for a train ticket were approved and paid."],
    [false, "(demo model) Here is what I found. reimburse failed: The user rejected this call. It did not run."],
  ])("expenses: asks before it pays much, and hears %s", async (confirmed, last) => {
    const { app } = await loader.loadAgent("expenses");
    const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
    const say = (newMessage: Content) => Array.fromAsync(runner.runAsync({ userId: "u", sessionId: "s", newMessage }));
    const small = await say(userContent("Reimburse 40 euros spent on a train ticket."));
    expect(textOf(small.at(-1)?.content)).toContain("40 euros for a train ticket were paid.");
    const asked = await say(userContent("Reimburse 250 euros spent on a train ticket."));
    const id = asked.at(-1)?.longRunningToolIds?.[0] ?? "";
    const functionResponse = { id, name: "adk_request_confirmation", response: { confirmed } };
    const answered = await say({ role: "user", parts: [{ functionResponse }] });
    expect([outline(asked).at(-1), textOf(answered.at(-1)?.content)]).toEqual([
      "expenses calls adk_request_confirmation",
      last,
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
}
