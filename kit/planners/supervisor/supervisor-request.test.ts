import { describe, expect, it } from "vitest";
import { type Content, modelContent, textOf, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createPlanning, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import type { InvocationOptions } from "#test/helpers/worlds/invocation.ts";
import { supervisorRequest } from "./supervisor-request.ts";

const supervisor = new LlmAgent({ name: "supervisor", model: new ScriptedModel([]) });

function promptFor(options: InvocationOptions): string {
  const context = createPlanning([new Speaker("writer")], options);
  const settings = { supervisor, systemInstruction: undefined, maxEvents: 20 };
  return textOf(supervisorRequest(context, { decided: 0, decisions: [], rejected: [] }, settings).contents[0]);
}

let events = 0;
const event = (author: string, content: Content, more: Partial<Event> = {}): Event =>
  createEvent({ id: `e${++events}`, invocationId: "i", author, timestamp: events, content, ...more });

describe("the prompt of a supervisor", () => {
  it("has the summary in place of the events that it covers, and nothing that was rewound", () => {
    const old = event("user", userContent("an old question"), { invocationId: "old" });
    const compaction = {
      compactedContent: modelContent("They met."),
      startTimestamp: old.timestamp,
      endTimestamp: old.timestamp,
    };
    const summary = event("user", {}, { actions: createEventActions({ compaction }) });
    const regretted = event("user", userContent("a slip"), { invocationId: "slip" });
    const rewind = event("user", {}, { actions: createEventActions({ rewindBeforeInvocationId: "slip" }) });
    const prompt = promptFor({ events: [old, summary, regretted, rewind, event("user", userContent("now"))] });
    expect(prompt).toContain("## What happened (the newest 2 events)\nSummary: They met.\nuser: now\n");
    expect(prompt).not.toMatch(/an old question|a slip/);
  });

  it("has the events of its agents' branches, and none of agents that run beside it or of tools' agents", () => {
    const on = (branch: string): Event => event("agent", modelContent(`on ${branch}`), { branch });
    const prompt = promptFor({
      branch: "team.desk",
      events: [on("team.desk"), on("team.desk.desk.writer"), on("team.other"), on("team.desk.writer@call")],
    });
    expect(prompt.match(/^agent: .*$/gm)).toEqual(["agent: on team.desk", "agent: on team.desk.desk.writer"]);
  });

  it("has the message with which the invocation began as the request, also when an answer resumes it", () => {
    const answer: Content = { role: "user", parts: [{ functionResponse: { name: "ask", response: {} } }] };
    const asked = [
      event("user", userContent("earlier"), { invocationId: "before" }),
      event("user", userContent("Write.")),
    ];
    expect(promptFor({ events: asked, userContent: answer })).toContain("## The user's request\nWrite.\n");
    expect(promptFor({ userContent: answer })).toContain("## The user's request\n(no text)\n");
  });
});
