import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { TerminalRunStatus } from "#kit/sessions/run-record.ts";
import { unexpectedAnswer } from "./fairlead-error.ts";
import type { ArtifactVersionData, RunData, SessionData, WaitingCall } from "./wire-types.ts";

/**
 * Checks the members of an answer that this client and its callers rely on, so that an answer of another server is an
 * error (`UNEXPECTED_ANSWER`) and not a fault somewhere else. Everything beyond them is passed as it is.
 */
type Members = Readonly<Record<string, unknown>>;
type Kind = "string" | "number" | "object" | "array";

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOf(value: unknown, kind: Kind): boolean {
  if (kind === "array") return Array.isArray(value);
  return kind === "object" ? isObject(value) : typeof value === kind;
}

function check(name: string, value: unknown, members: Readonly<Record<string, Kind>>): Members {
  if (!isObject(value)) throw unexpectedAnswer(`${name} is not a JSON object`);
  for (const [member, kind] of Object.entries(members))
    if (!isOf(value[member], kind)) throw unexpectedAnswer(`${name} has no ${member} of type ${kind}`);
  return value;
}

function checkOptional(name: string, value: Members, members: Readonly<Record<string, Kind>>): void {
  for (const [member, kind] of Object.entries(members))
    if (value[member] !== undefined && !isOf(value[member], kind))
      throw unexpectedAnswer(`${name}: ${member} is not of type ${kind}`);
}

export function listOf<Item>(name: string, read: (value: unknown) => Item): (value: unknown) => readonly Item[] {
  return (value) => {
    if (!Array.isArray(value)) throw unexpectedAnswer(`${name} is not a JSON array`);
    return value.map(read);
  };
}

export function readString(value: unknown): string {
  if (typeof value !== "string") throw unexpectedAnswer("A name is not a string");
  return value;
}

const PART = { functionCall: "object", functionResponse: "object", inlineData: "object", fileData: "object" } as const;

export function readEvent(value: unknown): Event {
  const event = check("The event", value, {
    id: "string",
    author: "string",
    invocationId: "string",
    actions: "object",
  });
  checkOptional("The event", event, { content: "object", longRunningToolIds: "array" });
  const { parts } = (event["content"] ?? {}) as Members;
  if (parts !== undefined) for (const part of listOf("The event's parts", readPart)(parts)) void part;
  // The server writes events in this form; the members that this client uses are checked.
  return event as unknown as Event;
}

function readPart(value: unknown): Members {
  const part = check("The event's part", value, {});
  checkOptional("The event's part", part, { text: "string", ...PART });
  return part;
}

export function readSession(value: unknown): SessionData {
  const session = check("The session", value, { id: "string", appName: "string", userId: "string", state: "object" });
  listOf("The session's events", readEvent)(session["events"]);
  return session as unknown as SessionData;
}

export function readRun(value: unknown): RunData {
  const run = check("The run", value, { runId: "string", status: "string", sessionId: "string", userId: "string" });
  return run as unknown as RunData;
}

export function readRunPage(value: unknown): { readonly runs: readonly RunData[]; readonly nextPageToken?: string } {
  const page = check("The list of runs", value, { runs: "array" });
  checkOptional("The list of runs", page, { nextPageToken: "string" });
  const { runs, nextPageToken } = page as { readonly runs: unknown; readonly nextPageToken?: string };
  const read = listOf("The list of runs", readRun)(runs);
  return nextPageToken === undefined ? { runs: read } : { runs: read, nextPageToken };
}

export function readWaitingCalls(value: unknown): readonly WaitingCall[] {
  const { calls } = check("The answer", value, { calls: "array" });
  const members = { id: "string", name: "string", args: "object" } as const;
  return listOf("calls", (call) => check("The call", call, members) as unknown as WaitingCall)(calls);
}

export function readArtifactVersion(value: unknown): ArtifactVersionData {
  return check("The version", value, { version: "number", createTime: "number" }) as unknown as ArtifactVersionData;
}

export function readArtifactPart(value: unknown): Part {
  // The server writes parts in this form; the members that this client uses are checked.
  return readPart(value) as Part;
}

const TERMINAL: readonly string[] = [
  "awaiting_input",
  "succeeded",
  "failed",
  "cancelled",
  "interrupted",
  "timed_out",
] satisfies TerminalRunStatus[];

export function readTerminalStatus(value: unknown): TerminalRunStatus {
  const { status } = check("The end of the stream", value, { status: "string" });
  if (!TERMINAL.includes(String(status))) throw unexpectedAnswer("The end of the stream has an unknown status");
  // Checked above.
  return status as TerminalRunStatus;
}

export function readNothing(): void {}
