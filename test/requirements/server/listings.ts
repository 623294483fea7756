import type { Requirement } from "#test/requirements/requirement.ts";

export const listings: readonly Requirement[] = [
  { id: "listings:sessions", line: 89, status: "verified", text: "A listing of sessions holds a list of sessions.", names: ["ListSessionsResponse"] },
  { id: "listings:events", line: 90, status: "verified", text: "A listing of events holds events.", names: ["ListEventsResponse"], decided: "Each as it was serialised once, with its sequence; `fromEventRecord` gives the Event." },
  { id: "listings:artifacts", line: 91, status: "verified", text: "A listing of artifacts holds file names.", names: ["ListArtifactsResponse"] },
  { id: "listings:artifact-versions", line: 92, status: "verified", text: "A listing of versions holds the versions of an artifact.", names: ["ListArtifactVersionsResponse"] },
  { id: "listings:artifact-versions:numbers", line: 92, status: "verified", text: "What a version is is left open.", decided: "A number from 0, never used twice for a name, not even after a delete." },
];
