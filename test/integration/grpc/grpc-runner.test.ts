import { expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { toJsonBytes, toSessionKeyMessage } from "#adapters/grpc/messages/messages.ts";
import { toRunMessage } from "#adapters/grpc/messages/run-messages.ts";
import { RemoteRunnerService } from "#adapters/grpc/remote-runner-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";
import type { StartPipeRequest__Output } from "#proto/fairlead/runner/v1/StartPipeRequest.ts";
import { runnerHandlers } from "#services/runner/runner-handlers.ts";
import { createRunnerServer } from "#services/runner/server.ts";
import { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { KEY, NOW } from "#test/contract/sessions/session-world.ts";

const RUN: RunRecord = {
  runId: "run",
  session: KEY,
  invocationId: "invocation",
  request: { newMessage: { role: "user", parts: [{ text: "hi é 🎲" }] }, stateDelta: { a: null } },
  status: "timed_out",
  policy: "rollback",
  attempts: 2,
  epoch: 3,
  holder: "runner 1",
  createdTime: NOW,
  startedTime: NOW + 1,
  finishedTime: NOW + 2,
  deadline: NOW + 3,
  cancelRequested: true,
  idempotencyKey: "",
  usage: { totalTokenCount: 7 },
  error: { code: "DEADLINE_EXCEEDED", reason: "RUN_TIMED_OUT", message: "Too long." },
  baseRevision: 4,
};

const APP: AppInfo = {
  name: "app",
  language: "yaml",
  description: "",
  rootAgent: { name: "root", description: "", type: "llm", tools: [], subAgents: [] },
  plugins: ["log"],
};

async function startWorld(
  makeServer = (runner: RunnerService & LiveRunnerService) => createRunnerServer({ runner, logger: silentLogger }),
) {
  const asked: StartRunRequest[] = [];
  const runner: RunnerService & LiveRunnerService = {
    runLive: async function* () {
      yield { kind: "recorded", run: RUN };
    },
    startRun: async (request) => {
      asked.push(request);
      return RUN;
    },
    cancelRun: async (runId) => {
      if (runId !== RUN.runId) throw new RunNotFoundError(runId);
      return RUN;
    },
    listApps: async () => ["app", "other"],
    describeApp: async (appName) => {
      if (appName !== APP.name) throw new PlatformError("APP_NOT_FOUND", `App not found: ${appName}`);
      return APP;
    },
  };
  const server = makeServer(runner);
  const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
  const options = { address, clock: systemClock, timeoutMs: 10_000 };
  const remote = new RemoteRunnerService(options);
  const dispose = async (): Promise<void> => {
    await remote[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { asked, remote, options, [Symbol.asyncDispose]: dispose };
}

const NAMED: StartRunRequest = { session: KEY, request: {}, runId: "run" };

/** A runner that carries out a request of the pipe and is lost before it answers. */
function serverThatCuts(runner: RunnerService & LiveRunnerService): GrpcServer {
  const { service: definition } = loadProto("runner").fairlead.runner.v1.RunnerService;
  const handlers = new GrpcHandlers({ logger: silentLogger });
  const methods = runnerHandlers(runner, handlers, new AbortController().signal);
  const StartPipe = handlers.bidi(async function* (messages) {
    for await (const _ of messages) {
      await runner.startRun(NAMED);
      return;
    }
  });
  return new GrpcServer({ services: [{ definition, handlers: { ...methods, StartPipe } }] });
}

/** A runner of an older version. */
function serverWithoutPipe(runner: RunnerService & LiveRunnerService): GrpcServer {
  const { StartPipe: _, ...definition } = loadProto("runner").fairlead.runner.v1.RunnerService.service;
  const handlers = new GrpcHandlers({ logger: silentLogger });
  const { StartPipe: __, ...methods } = runnerHandlers(runner, handlers, new AbortController().signal);
  return new GrpcServer({ services: [{ definition, handlers: methods }] });
}

it("sends the starts of one turn of the event loop in messages of eight, to several runners in turn", async () => {
  const messages: number[] = [];
  const counting = (runner: RunnerService & LiveRunnerService): GrpcServer => {
    const { service: definition } = loadProto("runner").fairlead.runner.v1.RunnerService;
    const handlers = new GrpcHandlers({ logger: silentLogger });
    const methods = runnerHandlers(runner, handlers, new AbortController().signal);
    const StartPipe = handlers.bidi(async function* (received: AsyncIterable<StartPipeRequest__Output>) {
      for await (const { requests } of received) {
        messages.push(requests.length);
        yield { answers: requests.map(({ number }) => ({ number, started: { run: toRunMessage(RUN) } })) };
      }
    });
    return new GrpcServer({ services: [{ definition, handlers: { ...methods, StartPipe } }] });
  };
  await using world = await startWorld(counting);
  await Promise.all(Array.from({ length: 20 }, () => world.remote.startRun(NAMED)));
  expect(messages.sort()).toEqual([4, 8, 8]);
});

it("asks a runner for runs as it was asked, and answers with the record whole", async () => {
  await using world = await startWorld();
  const plain: StartRunRequest = { session: KEY, request: { streaming: true } };
  const full: StartRunRequest = { ...plain, policy: "reject", idempotencyKey: "key", timeoutMs: 1500 };
  const named: StartRunRequest = { ...full, runId: "run" };
  const large: StartRunRequest = { ...named, request: { stateDelta: { text: "x".repeat(2 * 1024 * 1024) } } };
  const requests = [plain, full, named, large];
  for (const request of requests) expect(await world.remote.startRun(request)).toEqual(RUN);
  expect(world.asked).toEqual(requests);
  const bad = world.remote.startRun({ ...plain, session: { ...KEY, id: "\ud800" } });
  await expect(bad).rejects.toMatchObject({ reason: "INVALID_IDENTIFIER", details: { field: "sessionId" } });
});

it("cancels runs and describes apps", async () => {
  await using world = await startWorld();
  expect(await world.remote.cancelRun("run")).toEqual(RUN);
  expect(await world.remote.listApps()).toEqual(["app", "other"]);
  expect(await world.remote.describeApp("app")).toEqual(APP);
  await expect(world.remote.cancelRun("x")).rejects.toMatchObject({ reason: "RUN_NOT_FOUND", details: { runId: "x" } });
  await expect(world.remote.describeApp("x")).rejects.toMatchObject({ reason: "APP_NOT_FOUND" });
});

it("refuses a live call that does not name its run", async () => {
  await using world = await startWorld();
  const methods = loadProto("runner").fairlead.runner.v1.RunnerService.service;
  await using peer = new GrpcPeer({ ...world.options, name: "runner", methods });
  const unnamed = peer.exchange(methods.RunLive, [
    { start: { start: { session: toSessionKeyMessage(KEY), requestJson: toJsonBytes({}) } } },
  ]);
  await expect(unnamed.next()).rejects.toMatchObject({ reason: "NOT_IMPLEMENTED" });
});

it("asks again for a run whose answer went down with the stream, by the same name", async () => {
  await using world = await startWorld(serverThatCuts);
  expect(await world.remote.startRun(NAMED)).toEqual(RUN);
  expect(world.asked).toEqual([NAMED, NAMED]);
});

it("finds runners that have no such stream", async () => {
  await using world = await startWorld(serverWithoutPipe);
  expect(await world.remote.startRun(NAMED)).toEqual(RUN);
  expect(world.asked).toEqual([NAMED]);
});

it("spreads starts over all runners that an address stands for", async () => {
  await using one = await startWorld();
  await using other = await startWorld();
  const address = `ipv4:${one.options.address},${other.options.address}`;
  await using remote = new RemoteRunnerService({ ...one.options, address });
  // Connected to both: the first calls go to either one.
  while (one.asked.length === 0 || other.asked.length === 0) await remote.startRun({ session: KEY, request: {} });
  const before = [one.asked.length, other.asked.length];
  const starts = Array.from({ length: 16 }, (_, index) =>
    remote.startRun({ session: KEY, request: {}, runId: `${index}` }),
  );
  await Promise.all(starts);
  const counts = [one, other].map(({ asked }, index) => asked.length - (before[index] ?? 0));
  expect(counts).toEqual([8, 8]);
});
