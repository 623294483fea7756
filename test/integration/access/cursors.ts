import type { InjectOptions } from "fastify";
import { expect } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Answer } from "#test/helpers/openapi-examples.ts";
import { operationsOf, parametersOf } from "#test/helpers/openapi-operations.ts";
import type { MatrixServer } from "./access-matrix.ts";
import { type CallerName, OWNER } from "./matrix-callers.ts";

const PLANTED = "planted-before-the-cursor";

/** Parameters that continue an earlier answer. */
const CURSOR_NAMES: ReadonlySet<unknown> = new Set(["after", "last-event-id", "pageToken", "afterIndex", "cursor"]);

/** Those of operations that belong to a tenant and not to a user: `tenants.test.ts` and `tenant-data.test.ts` have them. */
const OF_TENANTS: readonly string[] = ["exportTenant.cursor", "listKeys.pageToken"];

/** What two users have of one kind, and a position in what the first one has. */
interface Attack {
  /** The names of operations and parameters that it covers. */
  readonly covers: readonly string[];
  /** The request with the cursor for the data of the user; empty for the user of the credentials. */
  readonly request: (user: string, cursor: string) => InjectOptions;
  readonly cursor: string;
  /** Whether the path names the data, so that another user's is refused with this reason. */
  readonly refusal?: string;
}

/**
 * Sends each cursor and page token of the owner as another user, for the owner's data and for that user's own: none shows
 * anything of the owner. Returns what has been covered, and what the API has.
 */
export async function attackCursors(server: MatrixServer): Promise<Readonly<Record<"covered" | "offered", string[]>>> {
  const data: Readonly<Record<string, Planted>> = {
    [OWNER]: await plant(server, OWNER, "owner"),
    eve: await plant(server, "eve", "eve"),
  };
  const attacks = await attacksOn(server, data);
  for (const { covers, request, cursor, refusal } of attacks) {
    const own = await send(server, request(OWNER, cursor), "owner");
    expect([covers, own.status]).toEqual([covers, "200"]);
    const foreign = await send(server, request(OWNER, cursor), "eve");
    expect(foreign.text, covers.join()).not.toContain(PLANTED);
    if (refusal !== undefined) expect([covers, reasonOf(foreign)]).toEqual([covers, refusal]);
    const misplaced = await send(server, request("eve", cursor), "eve");
    expect(["200", "400"], covers.join()).toContain(misplaced.status);
    for (const secret of [PLANTED, ...(data[OWNER]?.ids ?? [])])
      expect(misplaced.text, covers.join()).not.toContain(secret);
  }
  const { text } = await server.send({ url: "/openapi.json" }, "anonymous");
  // The form of the document is tested by itself.
  const offered = operationsOf(JSON.parse(text) as JsonObject).flatMap((operation) =>
    parametersOf(operation).flatMap(({ name }) =>
      CURSOR_NAMES.has(name) ? [`${operation.purpose}.${String(name)}`] : [],
    ),
  );
  const covered = [...attacks.flatMap(({ covers }) => covers), ...OF_TENANTS];
  return { covered: covered.toSorted(), offered: [...new Set(offered)].toSorted() };
}

interface Planted {
  readonly runId: string;
  readonly jobId: string;
  readonly webhookId: string;
  readonly ids: readonly string[];
}

const SESSIONS: Readonly<Record<string, readonly string[]>> = {
  [OWNER]: ["of-the-owner-1", "of-the-owner-2"],
  eve: ["of-eve-1", "of-eve-2"],
};

async function plant(server: MatrixServer, userId: string, caller: CallerName): Promise<Planted> {
  const post = async (url: string, payload: JsonObject) => {
    const { status, text } = await server.send({ method: "POST", url, payload }, caller);
    expect([url, status]).toEqual([url, expect.stringMatching(/^2/)]);
    // The forms of the answers are those of the operations, which the matrix checks.
    return JSON.parse(text) as Record<string, string>;
  };
  const [sessionId = "", second = ""] = SESSIONS[userId] ?? [];
  const text = userId === OWNER ? PLANTED : "hello";
  const runs: string[] = [];
  for (const id of [sessionId, second]) {
    await post(`/apps/weather/users/${userId}/sessions/${id}`, {});
    const newMessage = { parts: [{ text }] };
    const { runId = "" } = await post("/v1/runs", { appName: "weather", userId, sessionId: id, newMessage });
    await server.send({ url: `/v1/runs/${runId}/stream` }, caller);
    runs.push(runId);
  }
  if (userId === OWNER) {
    const evalCases = ["one", "two"].map((evalId) => ({ evalId, conversation: [], sessionInput: INPUT }));
    await post("/apps/weather/eval-sets", { evalSet: { evalSetId: "pair", name: "Pair", evalCases } });
  }
  const jobs: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const evalMetrics = [{ metricName: "response_match_score", threshold: 0.8 }];
    const { jobId = "" } = await post("/v1/evals", { appName: "weather", evalSetId: "pair", evalMetrics });
    await server.send({ url: `/v1/evals/${jobId}/stream` }, caller);
    jobs.push(jobId);
  }
  const schedules: string[] = [];
  for (const cron of ["0 8 * * *", "0 9 * * *"]) {
    const { id = "" } = await post("/v1/schedules", { appName: "weather", userId, cron, text });
    schedules.push(id);
  }
  const webhooks: string[] = [];
  for (const name of ["first", "second"]) {
    const { id = "" } = await post("/v1/webhooks", {
      url: "https://hooks.example.com",
      apps: ["weather"],
      userId,
      name,
    });
    for (let count = 0; count < 2; count += 1) await post(`/v1/webhooks/${id}/test`, {});
    webhooks.push(id);
  }
  const ids = [sessionId, second, ...runs, ...jobs, ...schedules, ...webhooks];
  return { runId: String(runs[0]), jobId: String(jobs[0]), webhookId: String(webhooks[0]), ids };
}

const INPUT = { appName: "weather", userId: "of-the-case", state: {} };

async function attacksOn(server: MatrixServer, data: Readonly<Record<string, Planted>>): Promise<readonly Attack[]> {
  const idOf = (user: string, name: "runId" | "jobId" | "webhookId"): string => data[user]?.[name] ?? "";
  const sessionOf = (user: string): string => `/apps/weather/users/${user}/sessions/${SESSIONS[user]?.[0]}`;
  const firstPage = async (url: string) => server.send({ url }, "owner");
  const sessions = await firstPage(`/apps/weather/users/${OWNER}/sessions?pageSize=1`);
  const runs = await firstPage("/v1/runs?pageSize=1");
  const jobs = await firstPage("/v1/evals?pageSize=1");
  const schedules = await firstPage("/v1/schedules?pageSize=1");
  const webhooks = await firstPage("/v1/webhooks?pageSize=1");
  const deliveriesOf = (user: string) => `/v1/webhooks/${idOf(user, "webhookId")}/deliveries`;
  const deliveries = await firstPage(`${deliveriesOf(OWNER)}?pageSize=1`);
  const runFrame = await firstPage(`/v1/runs/${idOf(OWNER, "runId")}/stream`);
  const jobFrame = await firstPage(`/v1/evals/${idOf(OWNER, "jobId")}/stream`);
  return [
    {
      covers: ["listSessions.pageToken"],
      request: (user, token) => ({ url: `/apps/weather/users/${user}/sessions?pageToken=${token}` }),
      cursor: encodeURIComponent(sessions.headers["x-next-page-token"] ?? ""),
      refusal: "USER_NOT_ALLOWED",
    },
    {
      covers: ["listRuns.pageToken"],
      request: (_user, token) => ({ url: `/v1/runs?pageToken=${token}` }),
      cursor: tokenOf(runs),
    },
    {
      covers: ["readRunTotals.pageToken"],
      request: (_user, token) => ({ url: `/v1/usage/runs?pageToken=${token}` }),
      cursor: tokenOf(runs),
    },
    {
      covers: ["readInbox.pageToken"],
      request: (_user, token) => ({ url: `/v1/inbox?pageToken=${token}` }),
      cursor: tokenOf(runs),
    },
    {
      covers: ["listSchedules.pageToken"],
      request: (_user, token) => ({ url: `/v1/schedules?pageToken=${token}` }),
      cursor: tokenOf(schedules),
    },
    {
      covers: ["listWebhooks.pageToken"],
      request: (_user, token) => ({ url: `/v1/webhooks?pageToken=${token}` }),
      cursor: tokenOf(webhooks),
    },
    {
      covers: ["listWebhookDeliveries.pageToken"],
      request: (user, token) => ({ url: `${deliveriesOf(user)}?pageToken=${token}` }),
      cursor: tokenOf(deliveries),
    },
    {
      covers: ["listEvaluations.pageToken"],
      request: (_user, token) => ({ url: `/v1/evals?pageToken=${token}` }),
      cursor: tokenOf(jobs),
    },
    {
      covers: ["streamRun.after"],
      request: (user, after) => ({ url: `/v1/runs/${idOf(user, "runId")}/stream?after=${after}` }),
      cursor: firstId(runFrame),
      refusal: "RUN_NOT_FOUND",
    },
    {
      covers: ["streamRun.last-event-id"],
      request: (user, id) => ({ url: `/v1/runs/${idOf(user, "runId")}/stream`, headers: { "last-event-id": id } }),
      cursor: firstId(runFrame),
      refusal: "RUN_NOT_FOUND",
    },
    {
      covers: ["streamSession.after"],
      request: (user, after) => ({ url: `/v1${sessionOf(user)}/stream?after=${after}` }),
      cursor: "1",
      refusal: "USER_NOT_ALLOWED",
    },
    {
      covers: ["streamSession.last-event-id"],
      request: (user, id) => ({ url: `/v1${sessionOf(user)}/stream`, headers: { "last-event-id": id } }),
      cursor: "1",
      refusal: "USER_NOT_ALLOWED",
    },
    {
      covers: ["streamEvaluation.after"],
      request: (user, after) => ({ url: `/v1/evals/${idOf(user, "jobId")}/stream?after=${after}` }),
      cursor: firstId(jobFrame),
      refusal: "EVAL_JOB_NOT_FOUND",
    },
    {
      covers: ["streamEvaluation.last-event-id"],
      request: (user, id) => ({ url: `/v1/evals/${idOf(user, "jobId")}/stream`, headers: { "last-event-id": id } }),
      cursor: firstId(jobFrame),
      refusal: "EVAL_JOB_NOT_FOUND",
    },
    ...["Cases", "Results"].map((kind) => ({
      covers: [`listEvaluation${kind}.afterIndex`],
      request: (user: string, index: string) => ({
        url: `/v1/evals/${idOf(user, "jobId")}/${kind.toLowerCase()}?afterIndex=${index}`,
      }),
      cursor: "0",
      refusal: "EVAL_JOB_NOT_FOUND",
    })),
  ];
}

function send(server: MatrixServer, request: InjectOptions, caller: CallerName): Promise<Answer> {
  const isEndless = /sessions\/[^/]+\/stream/.test(String(request.url)) && isOwn(request, caller);
  return server.send(request, caller, isEndless);
}

/** The stream of a session ends only for those who are refused. */
function isOwn({ url }: InjectOptions, caller: CallerName): boolean {
  return String(url).includes(`/users/${caller === "owner" ? OWNER : caller}/`);
}

function tokenOf({ text }: Answer): string {
  const { nextPageToken } = JSON.parse(text) as JsonObject;
  expect(nextPageToken).toEqual(expect.any(String));
  return encodeURIComponent(String(nextPageToken));
}

function firstId({ text }: Answer): string {
  const [, id = ""] = /^id: (.+)$/m.exec(text) ?? [];
  expect(id, text.slice(0, 300)).not.toBe("");
  return id;
}

function reasonOf({ text }: Answer): unknown {
  return (JSON.parse(text.replace(/^data: /, "")) as JsonObject)["reason"];
}
