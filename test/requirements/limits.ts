import type { Requirement } from "./requirement.ts";

export const limits: readonly Requirement[] = [
  { id: "limits:llm-calls", line: 313, status: "verified", text: "RunConfig caps the model calls of an invocation." },
  { id: "limits:llm-calls:increment", line: 313, status: "verified", text: "`incrementLlmCallsCount` counts a call and raises the error when there are too many." },
  { id: "limits:loop-planner-cycles", line: 314, status: "pending", text: "LoopPlanner stops at a maximum number of cycles." },
  { id: "limits:code-executor-retries", line: 315, status: "verified", text: "Code executors have a number of retries on consecutive errors." },
  { id: "limits:compaction", line: 316, status: "verified", text: "Compaction uses an interval and a number of events to keep." },
  { id: "limits:context-cache", line: 316, status: "verified", text: "Context caching uses a time to live and two integers." },
  { id: "limits:analytics:batches", line: 317, status: "pending", text: "The analytics logger writes in batches by size and by interval." },
  { id: "limits:analytics:retries", line: 317, status: "pending", text: "The analytics logger retries with an initial delay." },
  { id: "limits:defaults:llm-calls", line: 318, status: "verified", text: "The default cap on model calls is left open.", decided: "500; zero or less is unlimited." },
  { id: "limits:defaults:loop-planner-cycles", line: 318, status: "decided", text: "The default number of cycles is left open.", decided: "None: it must be given; the first cycle always runs." },
  { id: "limits:defaults:planner-agent-iterations", line: 318, status: "decided", text: "A bound of the planner agent is left open.", decided: "100 actions." },
  { id: "limits:defaults:code-executor-retries", line: 318, status: "verified", text: "The default number of retries is left open.", decided: "2." },
  { id: "limits:defaults:context-cache", line: 318, status: "verified", text: "The defaults of context caching are left open.", decided: "10 invocations, 1800 s, 0 tokens." },
  { id: "limits:defaults:compaction", line: 318, status: "verified", text: "The defaults of compaction are left open.", decided: "Off until an interval and an overlap, or a threshold and a retention, are given." },
  { id: "limits:rate", line: 319, status: "verified", text: "Rate limits are left open.", decided: "None by default; a session's queue of waiting runs is bounded." },
  { id: "limits:body-size", line: 319, status: "verified", text: "The limit of a request's size is left open.", decided: "50 MB (MAX_BODY_BYTES)." },
  { id: "limits:identifiers", line: 319, status: "verified", text: "The limits of identifiers are left open.", decided: "1 to 256 bytes of UTF-8, any Unicode, no control characters; the same on every store." },
  { id: "limits:slow-reader", line: 319, status: "verified", text: "The limit of a slow reader is left open.", decided: "Bounded memory, then the connection is cut; the run goes on." },
];
