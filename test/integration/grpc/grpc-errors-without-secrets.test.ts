import { Client, credentials, type MethodDefinition, type ServiceDefinition, type StatusObject } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { createRunnerServer } from "#services/runner/server.ts";
import { createSessionServer } from "#services/session/server.ts";
import type { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { expectNothingOf, foreignError, KEY, PLACE, TEXT } from "#test/helpers/security/planted-secret.ts";
import { verifies } from "#test/helpers/verifies.ts";

type Make = (port: never, logger: Logger) => GrpcServer;

const { SessionService, RunJournalService } = {
  ...loadProto("session").fairlead.session.v1,
  ...loadProto("runJournal").fairlead.session.v1,
};
const SERVICES: readonly (readonly [string, ServiceDefinition, Make])[] = [
  ["session", SessionService.service, (port, logger) => createSessionServer({ sessions: port, journal: port, logger })],
  [
    "run journal",
    RunJournalService.service,
    (port, logger) => createSessionServer({ sessions: port, journal: port, logger }),
  ],
  [
    "artifact",
    loadProto("artifact").fairlead.artifact.v1.ArtifactService.service,
    (artifacts, logger) => createArtifactServer({ artifacts, logger }),
  ],
  [
    "memory",
    loadProto("memory").fairlead.memory.v1.MemoryService.service,
    (memory, logger) => createMemoryServer({ memory, logger }),
  ],
  [
    "eval",
    loadProto("eval").fairlead.eval.v1.EvalService.service,
    (evaluations, logger) => createEvalServer({ evaluations, jobs: evaluations, logger }),
  ],
  [
    "runner",
    loadProto("runner").fairlead.runner.v1.RunnerService.service,
    (runner, logger) => createRunnerServer({ runner, logger }),
  ],
];

const FAILURES: readonly (readonly [string, () => unknown])[] = [
  ["a foreign exception", foreignError],
  ["a text", () => TEXT],
  [
    "an error of a store that has the exception as its cause",
    () => new PlatformError("STORE_UNAVAILABLE", "The store failed.", { cause: foreignError(), logDetail: TEXT }),
  ],
];

it.each(
  SERVICES.flatMap(([service, ...parts]) =>
    FAILURES.map(([failure, make]) => [service, failure, parts, make] as const),
  ),
)(
  "the log of the %s service has the text of %s with the call, and without keys; a caller gets nothing of it",
  async (_service, _failure, [definition, createServer], fail) => {
    verifies("errors:http:no-internals");
    const { logger, linesSince } = await recordLog();
    await using server = createServer(failingPort(fail), logger);
    const client = new Client(`127.0.0.1:${await server.listen("127.0.0.1:0")}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    for (const method of Object.values(definition).filter(({ path }) => !path.endsWith("/RunLive"))) {
      expectNothingOf(await callOnce(client, method), method.path);
      const log = linesSince();
      expect(log.join(""), method.path).not.toContain(KEY);
      const found = log.filter((line) => line.includes(PLACE)).map((line) => JSON.parse(line) as LogFields);
      expect(found.map(({ path, method: piped, runId }) => [path, piped, runId])).toEqual(
        FAILING_CALLS[method.path.slice(method.path.lastIndexOf("/") + 1)]?.map((each) => [
          method.path,
          each,
          "run",
        ]) ?? [[method.path, undefined, undefined]],
      );
    }
  },
);

/** The calls of the port that fail, by method: those of a pipe's requests, and none for tokens, which need no port. */
const FAILING_CALLS: Readonly<Record<string, readonly string[]>> = {
  AllowEvaluation: [],
  GrantEvaluation: [],
  SignGrant: [],
  JournalPipe: ["BeginRun", "AppendEvents", "FinishRun"],
  StartPipe: ["StartRun", "StartRun", "StartRun"],
};

/** A logger, and the lines that it has written since the last call. */
async function recordLog() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { logger } = await createLogger({ level: "debug", format: "json", destination });
  return { logger, linesSince: () => lines.splice(0) };
}

/** Every method of the port rejects. */
function failingPort(fail: () => unknown): never {
  const port = new Proxy({}, { get: () => () => Promise.reject(fail()) });
  // A proxy that has every method of every port.
  return port as never;
}

/** All that a caller gets: one message is sent in a way that fits each kind of method. */
async function callOnce(client: Client, method: MethodDefinition<object, object>): Promise<string> {
  const call = client.makeBidiStreamRequest(method.path, method.requestSerialize, (bytes) => bytes);
  const received: string[] = [];
  call.on("data", (bytes: Buffer) => received.push(bytes.toString("utf8")));
  // The status event comes after it.
  call.on("error", () => {});
  const ended = new Promise<StatusObject>((resolve) => call.on("status", resolve));
  call.write(MESSAGE);
  call.end();
  const { code, details, metadata } = await ended;
  for (const [name, values] of Object.entries(metadata.toJSON())) received.push(name, ...values.map(String));
  return [code, details, ...received].join("\n");
}

const SESSION = { tenantId: "default", appName: "app", userId: "ada", id: "talk" };
const ARTIFACT = { session: SESSION, filename: "notes.txt" };
const JSON_OBJECT = Buffer.from("{}");
const EVENT = {
  json: Buffer.from('{"id":"1","author":"user","invocationId":"i","timestamp":1,"actions":{}}'),
  id: "1",
};
const LEASE = { runId: "run", session: SESSION, holder: "here", epoch: 1 };
const LEASED = { leaseDuration: { seconds: 10 } };
const BEGIN = {
  ...LEASED,
  runId: "run",
  session: SESSION,
  requestJson: JSON_OBJECT,
  policy: "CONCURRENCY_POLICY_ENQUEUE",
};
const FINISH = { lease: LEASE, status: "RUN_STATUS_SUCCEEDED" };
const START = { runId: "run", session: SESSION, requestJson: JSON_OBJECT };

/** Has the fields of every request; encoders leave out those that a message lacks. */
const MESSAGE = {
  ...SESSION,
  ...BEGIN,
  ...FINISH,
  key: { ...SESSION, ...ARTIFACT, evalSetId: "set" },
  scope: SESSION,
  header: { ...SESSION, session: SESSION, key: ARTIFACT, artifact: { partJson: Buffer.from('{"text":"x"}') } },
  event: EVENT,
  evalId: "case",
  nameOrId: "result",
  sessionId: "talk",
  query: "text",
  jsonChunk: JSON_OBJECT,
  stateDeltaJson: JSON_OBJECT,
  complete: true,
  requests: [
    { number: 1, begin: BEGIN, start: START },
    { number: 2, append: { lease: LEASE, ...LEASED }, start: START },
    { number: 3, finish: FINISH, start: START },
  ],
};
