import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { TerminalRunStatus } from "#kit/sessions/run-record.ts";
import { unexpectedAnswer } from "./fairlead-error.ts";
import type {
  ArtifactVersionData,
  InboxClaim,
  InboxEntry,
  InboxPage,
  RunData,
  RunPage,
  SessionData,
  WaitingCall,
} from "./wire-types.ts";

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

type Kinds = Readonly<Record<string, Kind>>;

/** `optional` members can be absent. */
export function checkAnswer(name: string, value: unknown, members: Kinds, optional: Kinds = {}): Members {
  if (!isObject(value)) throw unexpectedAnswer(`${name} is not a JSON object`);
  for (const [member, kind] of Object.entries({ ...members, ...optional })) {
    const isAbsent = value[member] === undefined && optional[member] !== undefined;
    if (!isAbsent && !isOf(value[member], kind)) throw unexpectedAnswer(`${name} has no ${member} of type ${kind}`);
  }
  return value;
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

const PART = {
  text: "string",
  functionCall: "object",
  functionResponse: "object",
  inlineData: "object",
  fileData: "object",
} as const;

export function readEvent(value: unknown): Event {
  const members = { id: "string", author: "string", invocationId: "string", actions: "object" } as const;
  const event = checkAnswer("The event", value, members, { content: "object", longRunningToolIds: "array" });
  const { parts } = (event["content"] ?? {}) as Members;
  if (parts !== undefined) listOf("The event's parts", readPart)(parts);
  // The server writes events in this form; the members that this client uses are checked.
  return event as unknown as Event;
}

function readPart(value: unknown): Members {
  return checkAnswer("The event's part", value, {}, PART);
}

export function readSession(value: unknown): SessionData {
  const session = checkAnswer("The session", value, {
    id: "string",
    appName: "string",
    userId: "string",
    state: "object",
  });
  listOf("The session's events", readEvent)(session["events"]);
  return session as unknown as SessionData;
}

export function readRun(value: unknown): RunData {
  const run = checkAnswer("The run", value, {
    runId: "string",
    status: "string",
    sessionId: "string",
    userId: "string",
  });
  return run as unknown as RunData;
}

/** Checks a page of a list and each of its items. */
export function pageOf<Page>(
  name: string,
  member: string,
  read: (value: unknown) => unknown,
): (value: unknown) => Page {
  return (value) => {
    const page = checkAnswer(name, value, { [member]: "array" }, { nextPageToken: "string" });
    listOf(name, read)(page[member]);
    return page as Page;
  };
}

export const readRunPage = pageOf<RunPage>("The list of runs", "runs", readRun);

export function readWaitingCalls(value: unknown): readonly WaitingCall[] {
  const { calls } = checkAnswer("The answer", value, { calls: "array" });
  const members = { id: "string", name: "string", args: "object" } as const;
  return listOf("calls", (call) => checkAnswer("The call", call, members) as unknown as WaitingCall)(calls);
}

export function readInboxEntry(value: unknown): InboxEntry {
  return checkAnswer("The entry", value, { id: "string", questions: "array" }) as unknown as InboxEntry;
}

export function readInboxClaim(value: unknown): InboxClaim {
  return checkAnswer("The claim", value, { by: "string" }) as unknown as InboxClaim;
}

export const readInboxPage = pageOf<InboxPage>("The inbox", "entries", readInboxEntry);

export function readArtifactVersion(value: unknown): ArtifactVersionData {
  return checkAnswer("The version", value, {
    version: "number",
    createTime: "number",
  }) as unknown as ArtifactVersionData;
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
  const { status } = checkAnswer("The end of the stream", value, { status: "string" });
  if (!TERMINAL.includes(String(status))) throw unexpectedAnswer("The end of the stream has an unknown status");
  // Checked above.
  return status as TerminalRunStatus;
}

export function readNothing(): void {}
