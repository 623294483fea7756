import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { recordBytes } from "../http/answer-bound.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import { described } from "../openapi/route-description.ts";
import { RUN_RECORD_EXAMPLE, START_ERRORS } from "../openapi/run-examples.ts";
import { fileBodyLimit } from "../requests/body-budget.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { readWaitingCalls } from "../runs/waiting-calls.ts";
import { RunSchema, toWireRun } from "../runs/wire-run.ts";
import { answerEntry, InboxAnswer } from "./answer-entry.ts";
import { ClaimSchema, InboxClaims, NewClaim } from "./inbox-claims.ts";
import { cutEntry, type InboxEntry, InboxEntrySchema, MAX_ENTRY_CHARACTERS, toInboxEntry } from "./inbox-entry.ts";

const DEFAULT_ENTRIES = 20;
/** The questions of an entry are in its session's events, which are read for each. */
const MAX_ENTRIES = 50;
/** A page ends with the entry that makes its JSON so long. */
const PAGE_CHARACTERS = 256 * 1024;

const InboxQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ENTRIES })),
  pageToken: Type.Optional(Type.String()),
});

const InboxPage = Type.Object({
  entries: Type.Array(InboxEntrySchema),
  nextPageToken: Type.Optional(Type.String({ description: "Absent on the last page." })),
  keepsClaims: Type.Optional(Type.Boolean({ description: "Whether entries can be claimed here; absent if not." })),
});

const EntryParams = Type.Object({ runId: Type.String({ description: "The entry's id." }) });

/** Questions of agents to people, over all sessions that the caller may see, and their answers. */
export function inboxRoutes(deps: RouteDeps): TypedRoutes {
  const claims = new InboxClaims(deps);
  const find = async (runId: string): Promise<RunRecord> => {
    const run = await deps.runJournal.get(runId);
    if (run === undefined) throw new RunNotFoundError(runId);
    return run;
  };

  return async (app) => {
    app.get(
      "/v1/inbox",
      {
        schema: described({
          operationId: "readInbox",
          answer: (config) => 3 * (PAGE_CHARACTERS + MAX_ENTRY_CHARACTERS) + recordBytes(config),
          access: { scope: "sessions:read", owner: "query-user" },
          tags: ["inbox"],
          summary: "Read what waits for people, newest first",
          description:
            "One entry for each run that waits for answers, with its questions. Of all users and apps that the caller may see, unless the query names some. A page may be short, or empty, although nextPageToken leads to more.",
          errors: ["INVALID_CURSOR"],
          querystring: InboxQuery,
          response: answers({ 200: InboxPage }),
        }),
      },
      async (request) => readInbox(deps, claims, callerOf(request), request.query),
    );

    app.get(
      "/v1/inbox/:runId",
      {
        schema: described({
          operationId: "readInboxEntry",
          answer: recordBytes,
          access: { scope: "sessions:read", owner: "run-id" },
          tags: ["inbox"],
          summary: "Read all questions of a run that waits",
          description: "A run that does not wait has none.",
          errors: ["RUN_NOT_FOUND"],
          params: EntryParams,
          response: answers({ 200: InboxEntrySchema }),
        }),
      },
      async (request) => {
        const run = await find(request.params.runId);
        const [calls, [note]] = await Promise.all([readWaitingCalls(deps.sessionService, run), claims.notesOf([run])]);
        return toInboxEntry(run, { calls, note, claim: claims.wireClaim(note, callerOf(request)) });
      },
    );

    app.post(
      "/v1/inbox/:runId",
      {
        bodyLimit: fileBodyLimit(deps.config),
        schema: described({
          operationId: "answerInbox",
          answer: recordBytes,
          access: { scope: "runs:write", owner: "run-id" },
          tags: ["inbox"],
          summary: "Answer all questions of an entry",
          description:
            "Starts the run with the answers and returns its record; read its events from its stream. Of two answers the first counts: the same answer again gets its run, another one is refused. So is one by somebody else than the one who has claimed the entry, without `takeOver`.",
          errors: ["RUN_NOT_FOUND", "NOT_WAITING", "CLAIMED", ...START_ERRORS],
          params: EntryParams,
          body: InboxAnswer,
          example: { confirmed: true },
          response: answers({ 202: RunSchema }),
          answerExamples: { "application/json": RUN_RECORD_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const waiting = await find(request.params.runId);
        const caller = callerOf(request);
        const { takeOver = false, ...answer } = request.body;
        if (!takeOver) await claims.assertFree(waiting, caller);
        const run = await answerEntry(deps, waiting, answer, caller.keyId);
        await claims.drop(waiting);
        return reply.code(202).send(toWireRun(run));
      },
    );

    app.post(
      "/v1/inbox/:runId/claim",
      {
        schema: described({
          operationId: "claimInboxEntry",
          answer: "small",
          access: { scope: "runs:write", owner: "run-id" },
          tags: ["inbox"],
          summary: "Tell others that the caller works on an answer",
          description:
            "For 15 minutes, answers of others are refused with CLAIMED, unless they take over. A repeated claim is extended. It does not stop the entry's time.",
          errors: ["CLAIMS_OFF", "RUN_NOT_FOUND", "NOT_WAITING", "CLAIMED"],
          params: EntryParams,
          body: NewClaim,
          example: { takeOver: false },
          response: answers({ 200: ClaimSchema }),
        }),
      },
      async (request) => {
        const run = await find(request.params.runId);
        return claims.claim(run, callerOf(request), request.body.takeOver);
      },
    );

    app.delete(
      "/v1/inbox/:runId/claim",
      {
        schema: described({
          operationId: "releaseInboxEntry",
          answer: "small",
          access: { scope: "runs:write", owner: "run-id" },
          tags: ["inbox"],
          summary: "End the caller's claim of an entry",
          errors: ["CLAIMS_OFF", "RUN_NOT_FOUND", "CLAIMED"],
          params: EntryParams,
          response: answers({ 200: Type.Null() }),
        }),
      },
      async (request, reply) => {
        await claims.release(await find(request.params.runId), callerOf(request));
        return reply.type(JSON_TYPE).send("null");
      },
    );
  };
}

async function readInbox(
  { runJournal, sessionService }: RouteDeps,
  claims: InboxClaims,
  caller: Caller,
  { pageSize = DEFAULT_ENTRIES, ...query }: Static<typeof InboxQuery>,
): Promise<Static<typeof InboxPage>> {
  const request = { ...query, statuses: ["awaiting_input"] as const };
  const page = await runJournal.list({ ...request, pageSize, maxCharacters: PAGE_CHARACTERS });
  const notes = await claims.notesOf(page.runs);
  const keepsClaims = claims.areKept || undefined;
  const entries: InboxEntry[] = [];
  let characters = 0;
  for (const [index, run] of page.runs.entries()) {
    const calls = await readWaitingCalls(sessionService, run);
    // The run has been answered meanwhile.
    if (calls.length === 0) continue;
    const entry = cutEntry(
      toInboxEntry(run, { calls, note: notes[index], claim: claims.wireClaim(notes[index], caller) }),
    );
    entries.push(entry);
    characters += JSON.stringify(entry).length;
    if (characters < PAGE_CHARACTERS || index === page.runs.length - 1) continue;
    // The next page begins directly after this run.
    const { nextPageToken } = await runJournal.list({ ...request, pageSize: index + 1 });
    return { entries, nextPageToken, keepsClaims };
  }
  return { entries, nextPageToken: page.nextPageToken, keepsClaims };
}
