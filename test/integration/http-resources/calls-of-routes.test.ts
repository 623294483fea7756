import { expect, it, vi } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { TabularScheduleStore } from "#ports/schedules/tabular-schedule-store.ts";
import { notingCalls } from "#test/helpers/noting-calls.ts";
import {
  type Answer,
  exampleRequest,
  followLinks,
  inOrder,
  readDocument,
  send,
  type Values,
} from "#test/helpers/openapi-examples.ts";
import { type ApiOperation, operationsOf, parametersOf } from "#test/helpers/openapi-operations.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "ada", id: "s1" };
/** Values of parameters whose description says little about them. */
const GIVEN: Readonly<Record<string, JsonValue>> = {
  ...{ appName: "echo", app_name: "echo", userId: "ada", user_id: "ada", sessionId: "s1", session_id: "s1" },
  ...{ on_disconnect: "continue", confirm: "default", ts: 1, tmp: false },
  ...{
    runId: "run",
    eventId: "event",
    artifactName: "notes/trip.txt",
    filename: "notes/trip.txt",
    version: 0,
    versionId: 0,
  },
  ...{
    evalSetId: "set",
    evalCaseId: "case",
    evalId: "case",
    evalResultId: "result",
    jobId: "job",
    tenantId: "default",
  },
  ...{
    credentialKey: "key",
    traceId: "trace",
    keyId: "key",
    agentName: "echo_root",
    path: "notes/trip.txt",
    "*": "notes/trip.txt",
  },
};

function valueOf(name: string, schema: JsonObject): JsonValue | undefined {
  if (GIVEN[name] !== undefined) return GIVEN[name];
  const { type, minimum, maximum } = schema;
  const [choice] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  if (choice !== undefined) return choice;
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.min(Math.max(7, Number(minimum ?? 7)), Number(maximum ?? 7));
  // Cursors and tokens of pages are refused unless a server has made them.
  return /token|after|cursor|last-event/i.test(name) ? undefined : `the ${name}`;
}

/** The operation with a value for each of its parameters. */
function filled(operation: ApiOperation, found: Values, isWhole: boolean): ApiOperation {
  const parameters = parametersOf(operation).flatMap((parameter) => {
    const { name, schema, required, example } = parameter;
    if (String(name).toLowerCase() === "idempotency-key")
      return isWhole ? [{ ...parameter, example: operation.id }] : [];
    const linked = found.get(`${operation.purpose}.${String(name)}`);
    const value = linked ?? valueOf(String(name), isJsonObject(schema) ? schema : {}) ?? example;
    return value === undefined || (required !== true && !isWhole) ? [] : [{ ...parameter, example: value }];
  });
  return { ...operation, object: { ...operation.object, parameters } };
}

async function startWorld(calls: string[]) {
  const clock = new FixedClock();
  const scheduleStore = new TabularScheduleStore({ table: new InMemoryRowTable() });
  const listed = vi.spyOn(scheduleStore, "list");
  const ids = new SequentialIds("id");
  const world = await startGateway({
    clock,
    deps: {
      memoryService: new InMemoryMemoryService({ clock, ids }),
      evalStore: new InMemoryEvalStore({ clock }),
      userCredentials: new InMemoryCredentialService({ clock }),
      scheduleStore,
    },
    watch: (name, port) => notingCalls(name, port, calls),
  });
  return Object.assign(world, {
    schedulesOfApps: () => expect.poll(() => listed.mock.calls.length).toBeGreaterThan(0),
  });
}

const SHOWN_HEADERS = ["content-type", "location", "cache-control", "content-disposition", "x-next-page-token"];
/** Long answers, which tests of their own compare. */
const LONG_ANSWERS = /^(readOpenApi|readVersion|exportTenant|readReadiness|readHealth)$/;

/** What the client gets. */
function answered(operationId: string, { headers, text }: Answer): readonly string[] {
  const shownHeaders = SHOWN_HEADERS.flatMap((name) =>
    headers[name] === undefined ? [] : `${name}: ${headers[name]}`,
  );
  const body = LONG_ANSWERS.test(operationId) ? [] : text.trimEnd().split("\n");
  return [...shownHeaders, ...body].map((line) => `    ${line}`);
}

/** They have no end, or depend on the machine. */
const LEFT_OUT = /^(streamSession|readMetrics)$/;

/** The names of the sample agents' world, in this one. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/"(weather|travel_desk_yaml)"/g, '"echo"'],
  [/"(me|you)"/g, '"ada"'],
  [/"first"/g, '"s1"'],
];

it.each([
  ["needed", false],
  ["all", true],
] as const)("routes ask the ports for all that their requests say: %s parameters", async (name, isWhole) => {
  const calls: string[] = [];
  await using world = await startWorld(calls);
  const operations = operationsOf(await readDocument(world.gateway)).filter(({ id, purpose }) => id === purpose);
  await world.store.createSession(KEY);
  // They are read when the gateway is ready, beside the first requests.
  await world.schedulesOfApps();
  calls.length = 0;
  const lines: string[] = [];
  const found: Values = new Map();
  for (const operation of inOrder(operations)) {
    if (LEFT_OUT.test(operation.id)) continue;
    const { payload, ...request } = await exampleRequest(filled(operation, found, isWhole), found);
    const text = (value: string): string => RENAMED.reduce((made, [from, to]) => made.replace(from, to), value);
    const answer = await send(
      world.gateway,
      { ...request, ...(payload !== undefined && { payload: typeof payload === "string" ? text(payload) : payload }) },
      false,
    );
    if (answer.status.startsWith("2")) followLinks(operation, answer, found);
    lines.push(
      `${operation.id}: ${operation.method} ${String(request.url)} ${answer.status}`,
      ...calls.splice(0),
      ...answered(operation.id, answer),
    );
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`calls-of-routes/${name}.txt`);
});
