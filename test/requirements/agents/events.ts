import type { Requirement } from "#test/requirements/requirement.ts";

export const events: readonly Requirement[] = [
  { id: "events:run-sse", line: 286, status: "verified", text: "The streamed run delivers Event objects." },
  { id: "events:live", line: 286, status: "verified", text: "The live socket delivers Event objects." },
  { id: "events:hooks-in-process", line: 287, status: "verified", text: "Hooks of plugins and callbacks run inside the process." },
  { id: "events:trace:exporter", line: 288, status: "verified", text: "A span exporter records trace data." },
  { id: "events:trace:by-event", line: 288, status: "verified", text: "Trace data is read by event id." },
  { id: "events:trace:by-session", line: 288, status: "verified", text: "Trace data is read by session id." },
  { id: "events:trace:events-without-span", line: 288, status: "verified", text: "The trace of an event that no call of a model or tool has made is left open.", decided: "404 TRACE_NOT_FOUND, as with the protocol's other servers: a user's message and what a custom agent says by itself have no span of their own." },
  {
    id: "events:trace:owners",
    line: 288,
    status: "verified",
    text: "Whose trace data a reader gets is left open.",
    decided: "What a session has of a trace, by app, user and session: users who share a trace id stay apart. A session id of several users is refused with 409 TRACE_AMBIGUOUS unless `userId` is given. A client's `traceparent` is adopted only with TRUST_TRACEPARENT.",
  },
  { id: "events:trace:bounded", line: 288, status: "verified", text: "How long trace data is kept is left open.", decided: "In a bounded store that drops the oldest traces; exported by OTLP when an endpoint is set." },
  { id: "events:trace:content", line: 288, status: "verified", text: "Whether spans hold prompts is left open.", decided: "Only when switched on." },
  { id: "events:webhooks", line: 290, status: "verified", text: "Notifications to other systems are left open.", decided: "None are sent." },
];
