import type { Requirement } from "./requirement.ts";

export const events: readonly Requirement[] = [
  { id: "events:run-sse", line: 286, status: "verified", text: "The streamed run delivers Event objects." },
  { id: "events:live", line: 286, status: "pending", text: "The live socket delivers Event objects." },
  { id: "events:hooks-in-process", line: 287, status: "verified", text: "Hooks of plugins and callbacks run inside the process." },
  { id: "events:trace:exporter", line: 288, status: "verified", text: "A span exporter records trace data." },
  { id: "events:trace:by-event", line: 288, status: "verified", text: "Trace data is read by event id." },
  { id: "events:trace:by-session", line: 288, status: "verified", text: "Trace data is read by session id." },
  { id: "events:trace:bounded", line: 288, status: "verified", text: "How long trace data is kept is left open.", decided: "In a bounded store that drops the oldest traces; exported by OTLP when an endpoint is set." },
  { id: "events:trace:content", line: 288, status: "verified", text: "Whether spans hold prompts is left open.", decided: "Only when switched on." },
  { id: "events:webhooks", line: 290, status: "decided", text: "Notifications to other systems are left open.", decided: "None are sent." },
];
