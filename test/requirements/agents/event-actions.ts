import type { Requirement } from "#test/requirements/requirement.ts";

export const eventActions: readonly Requirement[] = [
  { id: "event-actions:artifact-delta", line: 57, status: "verified", text: "`artifactDelta` is a map: file name to the version saved.", names: ["artifactDelta"] },
  {
    id: "event-actions:deleted-artifact-ids",
    line: 58,
    status: "verified",
    text: "`deletedArtifactIds` is a set.",
    names: ["deletedArtifactIds"],
    decided: "A list in which each name stands once. In JSON it stands at the top of the event, for ADK's closed models refuse it among the actions; there it is accepted on input.",
  },
  { id: "event-actions:compaction", line: 59, status: "verified", text: "`compaction` is an EventCompaction.", names: ["EventCompaction"] },
  { id: "event-actions:end-invocation", line: 60, status: "verified", text: "`endInvocation` is a boolean and deprecated.", names: ["endInvocation"], decided: "Accepted on input as `endOfAgent`; never written." },
  { id: "event-actions:end-of-agent", line: 61, status: "verified", text: "`endOfAgent` is a boolean.", names: ["endOfAgent"], decided: "Written by the framework in resumable apps only; in others it stands under `resumption`, beside the actions." },
  { id: "event-actions:escalate", line: 62, status: "verified", text: "`escalate` is a boolean." },
  { id: "event-actions:state-delta", line: 55, status: "verified", text: "The state delta of an event is named elsewhere only.", decided: "`stateDelta`, a map; null removes a key." },
  { id: "event-actions:transfer-to-agent", line: 55, status: "verified", text: "Further actions are left open: transfer.", decided: "`transferToAgent`, an agent's name." },
  { id: "event-actions:skip-summarization", line: 55, status: "verified", text: "Further actions are left open: skipping the summary.", decided: "`skipSummarization`." },
  { id: "event-actions:requested-auth-configs", line: 55, status: "verified", text: "Further actions are left open: requested credentials.", decided: "`requestedAuthConfigs`, a map by call id." },
  { id: "event-actions:requested-tool-confirmations", line: 55, status: "verified", text: "Further actions are left open: requested confirmations.", decided: "`requestedToolConfirmations`, a map by call id." },
  { id: "event-actions:maps-always-present", line: 55, status: "verified", text: "Whether empty maps are written is left open.", decided: "`stateDelta`, `artifactDelta`, `requestedAuthConfigs` and `requestedToolConfirmations` always are." },
  { id: "event-actions:compaction:compacted-content", line: 64, status: "verified", text: "A compaction has the content that stands in for events.", names: ["compactedContent"] },
  { id: "event-actions:compaction:end-timestamp", line: 64, status: "verified", text: "A compaction has the time of the last event it covers, as a long.", names: ["endTimestamp"], decided: "Integer milliseconds, with `startTimestamp` beside it." },
  { id: "event-actions:confirmation:confirmed", line: 64, status: "verified", text: "A tool confirmation says whether the call is confirmed.", names: ["ToolConfirmation"] },
  { id: "event-actions:confirmation:hint", line: 64, status: "verified", text: "A tool confirmation carries a hint for the person." },
];
