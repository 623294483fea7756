import { ON_EXPIRY } from "#kit/core/app-settings/app-inbox.ts";
import { CONFIRMATION_CALL, CREDENTIAL_CALL, INPUT_CALL } from "#kit/events/reserved-calls.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { InboxNote } from "#ports/inbox/inbox-store.ts";
import { JsonMap } from "../requests/wire-schemas.ts";
import type { WaitingCall } from "../runs/waiting-calls.ts";
import { MAX_LISTED_MESSAGE_LENGTH, toWireRun } from "../runs/wire-run.ts";
import { ClaimSchema } from "./inbox-claims.ts";

const QUESTION_KINDS = ["confirmation", "input", "credential", "work"] as const;

const QuestionSchema = Type.Object({
  id: Type.String({ description: "The id of the call that waits." }),
  name: Type.String({ description: "The name of the call, which its functionResponse has too." }),
  kind: Type.Enum([...QUESTION_KINDS], {
    description:
      "`confirmation`: whether `tool` may run. `input`: data that it needs. `credential`: its user has to sign in, at the agent's own client. `work`: a tool that has begun, or waits for a person, with a result of any form.",
  }),
  agent: Type.String({ description: "The agent that waits." }),
  tool: Type.String({ description: "The tool that is to run, or has begun." }),
  args: Type.Optional(JsonMap),
  argsCut: Type.Optional(
    Type.Boolean({ description: "The arguments are too long for a list: read the entry itself." }),
  ),
  reason: Type.Optional(Type.String({ description: "What the tool says about its question." })),
  payload: Type.Optional(Type.Json({ description: "What an answer can change and give back." })),
  responseSchema: Type.Optional(Type.JsonObject({ description: "The form of the answer, as JSON schema." })),
  interimResponse: Type.Optional(Type.JsonObject({ description: "What the tool has answered so far." })),
});

export const InboxEntrySchema = Type.Object({
  id: Type.String({ description: "The id of the run that waits." }),
  appName: Type.String(),
  userId: Type.String(),
  sessionId: Type.String(),
  message: Type.Optional(Type.String({ description: "The user's message, cut to 200 characters." })),
  waitingSince: Type.Integer({ description: "Milliseconds since the epoch." }),
  expiresAt: Type.Optional(
    Type.Integer({ description: "When the server answers, if nobody has. Absent: it waits for ever." }),
  ),
  onExpiry: Type.Optional(
    Type.Enum([...ON_EXPIRY], {
      description: "The server's answer then: `reject` or `approve` all confirmations, or `fail` the run.",
    }),
  ),
  claim: Type.Optional(ClaimSchema),
  questions: Type.Array(QuestionSchema),
  questionsLeft: Type.Optional(Type.Integer({ description: "How many more questions the run waits for." })),
});

export type InboxEntry = Static<typeof InboxEntrySchema>;
type Question = Static<typeof QuestionSchema>;

/** The most of a question's JSON, and of the questions of one entry, that a list has. */
const MAX_QUESTION_CHARACTERS = 16 * 1024;
const MAX_QUESTIONS = 20;
/** The names, the message and the questions of an entry as JSON. */
export const MAX_ENTRY_CHARACTERS: number = 16 * 1024 + MAX_QUESTIONS * MAX_QUESTION_CHARACTERS;

interface EntryFacts {
  readonly calls: readonly WaitingCall[];
  readonly note: InboxNote | undefined;
  readonly claim: InboxEntry["claim"];
}

/** The entry of a run that waits; one that was answered has no questions. */
export function toInboxEntry(run: RunRecord, { calls, note, claim }: EntryFacts): InboxEntry {
  const { runId, appName, userId, sessionId, message } = toWireRun(run, {
    maxMessageLength: MAX_LISTED_MESSAGE_LENGTH,
  });
  const waitingSince = run.finishedTime ?? run.createdTime;
  const { expiry } = note ?? {};
  const waits = calls.length > 0;
  const end = waits && expiry && { expiresAt: waitingSince + expiry.afterMs, onExpiry: expiry.onExpiry };
  return {
    ...{ id: runId, appName, userId, sessionId, message, waitingSince, ...end },
    claim: waits ? claim : undefined,
    questions: calls.map(toQuestion),
  };
}

/** The entry with no more than a list has of it. */
export function cutEntry(entry: InboxEntry): InboxEntry {
  const left = entry.questions.length - MAX_QUESTIONS;
  const questions = entry.questions.slice(0, MAX_QUESTIONS).map(cutQuestion);
  return { ...entry, questions, questionsLeft: left > 0 ? left : undefined };
}

function cutQuestion(question: Question): Question {
  if (JSON.stringify(question).length <= MAX_QUESTION_CHARACTERS) return question;
  const { id, name, kind, agent, tool, reason } = question;
  return { id, name, kind, agent, tool, reason: reason?.slice(0, MAX_LISTED_MESSAGE_LENGTH), argsCut: true };
}

function toQuestion({ id, name, args, author, interimResponse }: WaitingCall): Question {
  const call = { id, name, agent: author };
  const original = memberOf(args, "originalFunctionCall");
  const asked = { tool: textOf(original?.["name"]) ?? name, args: memberOf(original, "args") };
  if (name === CONFIRMATION_CALL) {
    const { hint, payload } = memberOf(args, "toolConfirmation") ?? {};
    return { ...call, ...asked, kind: "confirmation", reason: textOf(hint), payload: payload ?? undefined };
  }
  if (name === INPUT_CALL) {
    const { message, payload } = args;
    const responseSchema = memberOf(args, "response_schema");
    return { ...call, ...asked, kind: "input", reason: textOf(message), payload, responseSchema };
  }
  if (name === CREDENTIAL_CALL) return { ...call, kind: "credential", tool: asked.tool };
  return { ...call, kind: "work", tool: name, args, interimResponse };
}

function memberOf(value: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = value?.[name];
  return isJsonObject(member) ? member : undefined;
}

/** A text with content. */
function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
