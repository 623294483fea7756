import type { InjectOptions } from "fastify";
import { expect } from "vitest";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import {
  type Answer,
  exampleRequest,
  expectedStatus,
  followLinks,
  inOrder,
  type Values,
} from "#test/helpers/openapi-examples.ts";
import type { ApiOperation } from "#test/helpers/openapi-operations.ts";
import { ABSENT_APP, CLOSED_APP } from "./closed-app.ts";
import { expectedAnswer, namedBy, namesApp } from "./expected-answer.ts";
import { type CallerName, OWNER, RIGHTS } from "./matrix-callers.ts";
import { operationsOfRound, withoutApp } from "./matrix-rounds.ts";

/** Planted in all of the owner's data. */
const MARKER = "planted-by-the-owner";

/** The value of a credential, which no answer shows to anybody. */
const CREDENTIAL: AuthCredential = { authType: "apiKey", apiKey: "value-of-the-credential" };

/** The reads that show it to the owner. */
export const SHOWING = [
  ...[
    "listArtifacts",
    "listCredentials",
    "listEvaluations",
    "listRuns",
    "listSchedules",
    "listSessions",
    "listWebhookDeliveries",
    "listWebhooks",
    "loadArtifact",
    "readInboxEntry",
    "readRun",
    "readSchedule",
    "readSession",
    "readSessionTrace",
    "readWebhook",
  ],
  ...["streamRun", "streamSession"],
];

/** A server with the sample agents and the callers of the matrix. */
export interface MatrixServer extends AsyncDisposable {
  /** Sends the request with the caller's credentials. Of a stream that does not end, only the first frame is read. */
  send(request: InjectOptions, caller: CallerName, isEndless?: boolean): Promise<Answer>;
  /** The store of credentials, as runs use it. */
  readonly credentials: CredentialService;
}

export interface MatrixOptions {
  readonly round: number;
  readonly leaveOut?: RegExp;
  /** Whether requests leave out the app's name where the server then takes its default app. */
  readonly hasDefaultApp?: boolean;
}

/** Reads whose paths name nothing. */
const LISTS: ReadonlySet<string> = new Set([
  ...["listRuns", "readRunTotals", "readInbox", "listSchedules", "listWebhooks", "listCredentials", "listEvaluations"],
]);
/** Of a set that the examples create. */
const EVALUATION = {
  appName: "weather",
  evalSetId: "greetings",
  evalMetrics: [{ metricName: "response_match_score", threshold: 0.8 }],
};
const SESSION = `/apps/weather/users/${OWNER}/sessions/first`;
const ATTACKERS: readonly CallerName[] = ["anonymous", "expired", "eve", "outsider", "operator"];

/** One round of all operations, each in one of its spellings, by the owner, by the others, and by the owner again. */
export class AccessMatrix {
  readonly #server: MatrixServer;
  readonly #operations: readonly ApiOperation[];
  readonly #found: Values = new Map();
  /** Texts that only the owner's data has. */
  #secrets: readonly string[] = [];

  private constructor(server: MatrixServer, operations: readonly ApiOperation[]) {
    this.#server = server;
    this.#operations = operations;
  }

  static async of(
    server: MatrixServer,
    { round, leaveOut = /^$/, hasDefaultApp = false }: MatrixOptions,
  ): Promise<AccessMatrix> {
    const { text } = await server.send({ url: "/openapi.json" }, "anonymous");
    // The form of the document is tested by itself.
    const all = operationsOfRound(JSON.parse(text) as JsonObject, round);
    const operations = hasDefaultApp ? all.map(withoutApp) : all;
    return new AccessMatrix(
      server,
      operations.filter(({ path }) => !leaveOut.test(path)),
    );
  }

  /** Every operation succeeds for a caller who may use it, so that a refusal of others has no other cause. */
  async useAll(caller: User): Promise<void> {
    for (const operation of inOrder(this.#operations)) {
      if (operation.method === "DELETE") continue;
      if (isServerWide(operation) && RIGHTS[caller].tenantId !== DEFAULT_TENANT) {
        const { status, text } = await this.#send(operation, caller);
        expect([operation.id, status, JSON.parse(text)]).toEqual([
          operation.id,
          "403",
          expect.objectContaining({ reason: "SERVER_WIDE" }),
        ]);
        continue;
      }
      const answer = await this.#send(operation, caller);
      expect([operation.id, answer.status, answer.text.slice(0, 300)]).toEqual([
        operation.id,
        expectedStatus(operation),
        expect.anything(),
      ]);
      followLinks(operation, answer, this.#found);
    }
  }

  async deleteAll(caller: User): Promise<void> {
    for (const operation of inOrder(this.#operations)) {
      if (operation.method !== "DELETE") continue;
      const { status } = await this.#send(operation, caller);
      expect([operation.id, status]).toEqual([operation.id, expectedStatus(operation)]);
    }
  }

  /** Puts the marker into each kind of the owner's data. Returns the operations that show it to the owner. */
  async plant(): Promise<readonly string[]> {
    const post = async (url: string, payload: JsonObject, method: "POST" | "PATCH" = "POST") => {
      const { status, text } = await this.#server.send({ method, url, payload }, "owner");
      expect([url, status]).toEqual([url, expect.stringMatching(/^2/)]);
      return text;
    };
    const run = { appName: "weather", userId: OWNER, sessionId: "first", newMessage: { parts: [{ text: MARKER }] } };
    await this.#server.credentials.saveCredential({ appName: "weather", userId: OWNER }, MARKER, CREDENTIAL);
    await post(SESSION, { stateDelta: { note: MARKER } }, "PATCH");
    await post(`${SESSION}/artifacts`, { filename: "notes/trip.txt", artifact: { text: MARKER } });
    await post(`${SESSION}/artifacts`, { filename: `${MARKER}.txt`, artifact: { text: MARKER } });
    // The forms of the answers are those of the operations that the first round has checked.
    const [event] = JSON.parse(await post("/run", run)) as readonly { readonly id: string }[];
    const { runId, invocationId } = JSON.parse(await post("/v1/runs", run)) as Record<"runId" | "invocationId", string>;
    const evaluation = await post("/v1/evals", EVALUATION);
    const { jobId } = JSON.parse(evaluation) as { readonly jobId: string };
    const times = { appName: "weather", userId: OWNER, cron: "0 9 * * *", text: MARKER };
    const { id: scheduleId } = JSON.parse(await post("/v1/schedules", times)) as { readonly id: string };
    const hook = { url: "https://hooks.example.com", apps: ["weather"], userId: OWNER, name: MARKER, enabled: false };
    const { id: webhookId } = JSON.parse(await post("/v1/webhooks", hook)) as { readonly id: string };
    const tested = await post(`/v1/webhooks/${webhookId}/test`, {});
    const { id: deliveryId } = JSON.parse(tested) as { readonly id: string };
    // The webhook is off: its message has no further changes.
    const deliveries = { url: `/v1/webhooks/${webhookId}/deliveries` };
    await expect.poll(async () => (await this.#server.send(deliveries, "owner")).text).toContain('"dead"');
    this.#secrets = [
      MARKER,
      invocationId,
      jobId,
      scheduleId,
      webhookId,
      deliveryId,
      ...(event === undefined ? [] : [event.id]),
    ];
    await post(`/apps/weather/users/${OWNER}/memory`, { sessionId: "first" }, "PATCH");
    for (const { purpose, path } of this.#operations) {
      if (path.includes("{runId}")) this.#found.set(`${purpose}.runId`, runId);
      if (path.includes("{scheduleId}")) this.#found.set(`${purpose}.scheduleId`, scheduleId);
      if (path.includes("{webhookId}")) this.#found.set(`${purpose}.webhookId`, webhookId);
      if (path.includes("{deliveryId}")) this.#found.set(`${purpose}.deliveryId`, deliveryId);
      if (path.includes("{jobId}")) this.#found.set(`${purpose}.jobId`, jobId);
      if (path.includes("{eventId}") && event !== undefined) this.#found.set(`${purpose}.eventId`, event.id);
    }
    for (const url of [`/v1/runs/${runId}/stream`, `/v1/evals/${jobId}/stream`])
      await this.#server.send({ url }, "owner");
    const showing: string[] = [];
    for (const operation of this.#reads()) {
      const { text, url } = await this.#send(operation, "owner");
      if (this.#secretsBeside(url).some((secret) => text.includes(secret))) showing.push(operation.purpose);
    }
    return showing.toSorted();
  }

  /** All operations by all callers who may not use them, and the reads that show others nothing of the owner. */
  async attack(): Promise<void> {
    for (const operation of this.#operations) {
      for (const caller of ATTACKERS) await this.#attackWith(operation, caller);
      const scope = operation.object["x-scope"];
      const without = `without ${String(scope)}`;
      if (Object.hasOwn(RIGHTS, without)) await this.#attackWith(operation, without as CallerName);
    }
  }

  async #attackWith(operation: ApiOperation, caller: CallerName): Promise<void> {
    const [status, reason] = expectedAnswer(operation, caller);
    // What a caller may do is done by the owner; data of an app is shared by its users.
    if (reason === undefined && operation.method !== "GET") return;
    const answer = await this.#send(operation, caller);
    const place = `${caller}: ${operation.method} ${operation.path} ${answer.text.slice(0, 300)}`;
    expect(answer.status, place).toBe(status);
    if (reason !== undefined) expect(reasonOf(answer), place).toBe(reason);
    for (const secret of this.#secretsBeside(answer.url)) expect(answer.text, place).not.toContain(secret);
    if (operation.method === "GET" && reason !== undefined) await this.#attackHead(operation, caller, status);
  }

  /** HEAD reads what GET reads; there is none of streams and exports. */
  async #attackHead(operation: ApiOperation, caller: CallerName, status: string): Promise<void> {
    const request = await exampleRequest(operation, this.#found);
    const answer = await this.#server.send({ ...request, method: "HEAD" }, caller);
    const hasNone = operation.purpose.startsWith("stream") || operation.purpose === "exportTenant";
    const expected = hasNone && status !== "401" ? "405" : status;
    expect([operation.id, caller, answer.status, answer.text]).toEqual([operation.id, caller, expected, ""]);
  }

  /** An error may repeat what the request names. */
  #secretsBeside(url: string): readonly string[] {
    return this.#secrets.filter((secret) => !url.includes(secret));
  }

  /** All reads of the owner's data, by its names, by callers of another tenant: they find nothing of it. */
  async attackFromTenant(): Promise<void> {
    for (const operation of this.#reads()) {
      for (const caller of ["twin", "foreignAdmin"] as const) {
        const answer = await this.#send(operation, caller);
        const place = `${caller}: ${operation.method} ${operation.path} ${answer.text.slice(0, 300)}`;
        if (isServerWide(operation)) expect([answer.status, reasonOf(answer)]).toEqual(["403", "SERVER_WIDE"]);
        else expect(answer.status, place).toMatch(/^(200|404)$/);
        if (operation.path.includes("{runId}")) expect(reasonOf(answer), place).toBe("RUN_NOT_FOUND");
        for (const secret of this.#secretsBeside(answer.url)) expect(answer.text, place).not.toContain(secret);
      }
    }
  }

  /**
   * Requests for another user's or tenant's data get the same answer as requests for data that does not exist, except for
   * the names.
   */
  async compareWithAbsent(caller: "eve" | "foreignAdmin" = "eve"): Promise<number> {
    let compared = 0;
    for (const operation of caller === "eve" ? this.#operations : this.#reads()) {
      const named = namedBy(operation);
      if (named === "app" || named === "nothing") continue;
      const present = await exampleRequest(operation, this.#found);
      const absent = withAbsentName(present);
      expect(absent, operation.id).not.toEqual(present);
      const answers = [await this.#server.send(present, caller), await this.#server.send(absent, caller)];
      const [foreign, missing] = answers.map((answer) => comparable(answer, withoutNames(answer.text)));
      expect(missing, operation.id).toEqual(foreign);
      compared += 1;
    }
    return compared;
  }

  /**
   * Requests that name an app which the caller may not use get the same answer as those for a name that no app has, except
   * for the name. Returns how many were compared.
   */
  async compareClosedWithAbsent(caller: CallerName): Promise<number> {
    let compared = 0;
    for (const operation of this.#operations) {
      // Who edits apps sees all of them.
      if (!namesApp(operation) || operation.object["x-scope"] === "apps:edit") continue;
      const answers: Answer[] = [];
      for (const appName of [CLOSED_APP, ABSENT_APP]) {
        const request = withApp(await exampleRequest(operation, new UnknownValues()), appName);
        const answer = await this.#server.send(request, caller);
        answers.push(comparable(answer, withoutRequestId(answer.text).replaceAll(appName, "APP")));
      }
      const [closed, absent] = answers;
      expect(closed, `${caller}: ${operation.id}`).toEqual(absent);
      expect(["403", "404"], `${caller}: ${operation.id}`).toContain(closed?.status);
      compared += 1;
    }
    return compared;
  }

  /** Everything that the owner can read, by operation. */
  async snapshot(): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const operation of this.#reads()) {
      // Its first frame has as many events as have been read so far.
      if (operation.purpose === "streamSession") continue;
      texts.set(operation.id, withoutRequestId((await this.#send(operation, "owner")).text));
    }
    return texts;
  }

  /** The operations that show the owner something else than before. */
  async changesSince(before: ReadonlyMap<string, string>): Promise<readonly string[]> {
    const now = await this.snapshot();
    return [...now].flatMap(([id, text]) => (before.get(id) === text ? [] : [id]));
  }

  #reads(): readonly ApiOperation[] {
    return this.#operations.filter(({ method, purpose, path }) => {
      // The example of an export is of the other tenant, whose data changes.
      const isOfOwner = purpose !== "readMetrics" && purpose !== "exportTenant";
      return method === "GET" && isOfOwner && (path.includes("{") || LISTS.has(purpose));
    });
  }

  async #send(operation: ApiOperation, caller: CallerName): Promise<Answer & { readonly url: string }> {
    const request = await exampleRequest(operation, this.#found);
    const isEndless = operation.purpose === "streamSession" && isUser(caller);
    const answer = await this.#server.send(request, caller, isEndless);
    expect(answer.text).not.toContain("value-of-the-credential");
    return { ...answer, url: String(request.url) };
  }
}

/** Whether the operation concerns all tenants. */
function isServerWide({ purpose, object }: ApiOperation): boolean {
  return purpose === "readMetrics" || object["x-scope"] === "apps:edit";
}

/** Callers for whom every operation succeeds. */
type User = "owner" | "admin" | "twin";

function isUser(caller: CallerName): caller is User {
  return caller === "owner" || caller === "admin" || caller === "twin";
}

/** The same request for a user, run, event or session that does not exist. */
function withAbsentName({ url, payload, ...request }: InjectOptions): InjectOptions {
  const path = String(url)
    .replace(`/users/${OWNER}`, `/users/${ABSENT}`)
    .replace(`userId=${OWNER}`, `userId=${ABSENT}`)
    .replace(`user_id=${OWNER}`, `user_id=${ABSENT}`)
    .replace(/\/v1\/(runs|inbox|schedules|webhooks)\/[^/?]+/, `/v1/$1/${ABSENT}`)
    .replace(/\/v1\/evals\/[^/?]+/, `/v1/evals/${ABSENT}`)
    .replace(/\/debug\/trace\/(session\/)?[^/?]+/, `/debug/trace/$1${ABSENT}`);
  const body = typeof payload === "string" ? payload.replace(`"userId":"${OWNER}"`, `"userId":"${ABSENT}"`) : payload;
  return { ...request, url: path, ...(body !== undefined && { payload: body }) };
}

/** Ids of nothing, for parameters that earlier answers would give. */
class UnknownValues extends Map<string, string> {
  override get(name: string): string | undefined {
    return name.endsWith("Id") ? ABSENT : undefined;
  }
}

/** The same request for another app. */
function withApp({ url, payload, ...request }: InjectOptions, appName: string): InjectOptions {
  const path = String(url)
    .replace(/\/(apps|dev|app|credentials|build_graph|build_graph_image)\/weather(?=[/?]|$)/, `/$1/${appName}`)
    .replace(/([?&]app_?[nN]ame=)weather/, `$1${appName}`);
  const body = typeof payload === "string" ? payload.replace(/("app_?[nN]ame":)"weather"/g, `$1"${appName}"`) : payload;
  return { ...request, url: path, ...(body !== undefined && { payload: body }) };
}

const ABSENT = "nobody-of-that-name";

/** Headers that differ between two answers to the same request: of these only the names count. */
const OWN_VALUES: ReadonlySet<string> = new Set(["date", "x-request-id", "content-length"]);

/** The answer with this text, and its headers as far as those of equal answers are equal. */
function comparable(answer: Answer, text: string): Answer {
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, OWN_VALUES.has(name) ? "" : value]);
  return { ...answer, text, headers: Object.fromEntries(headers) };
}

/** The texts of errors repeat the names of the request. */
function withoutNames(text: string): string {
  if (!text.startsWith("{")) return text;
  const { requestId: _, path: __, ...body } = JSON.parse(text) as JsonObject;
  return JSON.stringify(body).replace(/[\w-]{30,}|nobody-of-that-name/g, "NAME");
}

function withoutRequestId(text: string): string {
  return text.replace(/"requestId":"[^"]*"/, "");
}

function reasonOf({ text }: Answer): unknown {
  const json = text.startsWith("data: ") ? text.slice("data: ".length) : text;
  return (JSON.parse(json) as JsonObject)["reason"];
}
