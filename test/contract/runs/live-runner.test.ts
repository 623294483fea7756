import { describe } from "vitest";
import { RemoteRunnerService } from "#adapters/grpc/remote-runner-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { createRunnerServer } from "#services/runner/server.ts";
import { liveRunnerContract } from "./live-runner.ts";

describe("in one process", () => {
  liveRunnerContract(async (runner) => ({ runner, cut: () => {}, [Symbol.asyncDispose]: async () => {} }));
});

describe("over gRPC", () => {
  liveRunnerContract(async (service) => {
    const server = createRunnerServer({ runner: service, logger: silentLogger });
    const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
    const runner = new RemoteRunnerService({ address, clock: systemClock, timeoutMs: 10_000 });
    const dispose = async (): Promise<void> => {
      await runner[Symbol.asyncDispose]();
      server.abort();
      await server[Symbol.asyncDispose]();
    };
    return { runner, cut: () => server.abort(), [Symbol.asyncDispose]: dispose };
  });
});
