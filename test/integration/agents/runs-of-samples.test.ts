import { afterAll, expect, it } from "vitest";
import type { Plugin } from "#kit/core/plugin.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { type Content, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { AGENTS } from "./sample-conversations.ts";

const loader = new DirectoryAgentLoader({ directory: AGENTS, hotReload: false });
afterAll(() => loader.close());

/** Agents with one event at a time, and what is said to them; `confirm` answers the question of the run before. */
const TALKS: Readonly<Record<string, readonly string[]>> = {
  artist: ["Draw a red star, please", "And a blue circle"],
  expenses: ["Reimburse 250 euros spent on a train ticket.", "confirm", "Reimburse 40 euros spent on lunch."],
  long_memory: ["note: buy milk", "note: call Ada", "note: rest", "what did I note?"],
  service_desk: ["My parcel is late and the invoice is wrong.", "Good morning!"],
  slogan_critic: ["A slogan for fresh bread"],
  travel_desk_yaml: ["Find me a flight to Rome", "I need a hotel room in Lisbon"],
  writer_pipeline: ["A short text about lighthouses", "Another about bridges"],
};

/** Without the texts of pictures. */
function shown(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) =>
    name === "data" && typeof member === "string" ? `${member.length} characters` : member,
  );
}

function recorder(lines: string[]): Plugin {
  return {
    name: "recorder",
    beforeModelCallback: (context, { model, contents, systemInstruction, functionDeclarations, config }) => {
      const tools = functionDeclarations.map(({ name }) => name);
      lines.push(
        `  ${context.agentName} asks ${model}: ${shown({ systemInstruction, tools, config: { ...config, systemInstruction: undefined } })}`,
      );
      for (const content of contents) lines.push(`    ${shown(content)}`);
      return undefined;
    },
  };
}

function answerTo(events: readonly Event[]): Content {
  const id = events.at(-1)?.longRunningToolIds?.[0] ?? "";
  const functionResponse = { id, name: "adk_request_confirmation", response: { confirmed: true } };
  return { role: "user", parts: [{ functionResponse }] };
}

it.each(Object.entries(TALKS))("%s asks its models, says and records what it did before", async (name, talk) => {
  const { app } = await loader.loadAgent(name);
  const lines: string[] = [];
  const spans: SpanRecord[] = [];
  const [clock, ids] = [new FixedClock(), new SequentialIds("id")];
  const store = new InMemorySessionStore({ clock, ids });
  const runner = new Runner({
    ...{ app, clock, ids, sessionService: store, journal: store, plugins: [recorder(lines)] },
    artifactService: new InMemoryArtifactService({ clock }),
    runConfig: { autoCreateSession: true },
    onSpans: (_session, ended) => void spans.push(...ended),
  });
  let events: Event[] = [];
  for (const words of talk) {
    lines.push(`user: ${words}`);
    const newMessage = words === "confirm" ? answerTo(events) : userContent(words);
    events = [];
    for await (const event of runner.runAsync({ userId: "u", sessionId: "s", newMessage })) {
      events.push(event);
      lines.push(`  ${shown(event)}`);
    }
    const ended = spans.splice(0).map(({ name: span, attributes, error }) => shown({ span, attributes, error }));
    lines.push(...ended.toSorted().map((span) => `  ended ${span}`));
    clock.advance(1000);
  }
  const session = await store.getSession({ appName: app.name, userId: "u", id: "s" });
  lines.push(`state: ${shown(session?.state)}`);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`runs-of-samples/${name}.txt`);
});
