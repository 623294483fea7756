import { status } from "@grpc/grpc-js";
import { type AnyDefinition, loadFileDescriptorSetFromBuffer } from "@grpc/proto-loader";
import { describe, expect, it } from "vitest";
import { type CalledMethod, GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { LOADER_OPTIONS, loadProto } from "#adapters/grpc/channel/proto.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import type { ServerReflectionRequest } from "#proto/grpc/reflection/v1/ServerReflectionRequest.ts";
import { createSessionServer } from "#services/session/server.ts";
import { SecurityFiles } from "#test/helpers/security/security-files.ts";

const { service: REFLECTION } = loadProto("reflection").grpc.reflection.v1.ServerReflection;

async function startWorld(GRPC_REFLECTION = true) {
  const stack = new AsyncDisposableStack();
  const files = stack.use(new SecurityFiles());
  const store = new InMemorySessionStore();
  const shell = files.open("session", { GRPC_REFLECTION }).server;
  const server = stack.use(createSessionServer({ ...shell, sessions: store, journal: store, logger: silentLogger }));
  const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
  const options = { name: "session", address, clock: systemClock, timeoutMs: 10_000 };
  const peer = stack.use(new GrpcPeer({ ...options, methods: REFLECTION }));
  const ask = (...questions: readonly ServerReflectionRequest[]) =>
    Array.fromAsync(peer.exchange(REFLECTION.ServerReflectionInfo, questions));
  return { options, stack, ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe("reflection", () => {
  it("lists the services of the server, itself included", async () => {
    await using world = await startWorld();
    const [answer] = await world.ask({ host: "here", listServices: "*" });
    expect(answer?.listServicesResponse?.service.map(({ name }) => name)).toEqual([
      "grpc.health.v1.Health",
      "fairlead.session.v1.SessionService",
      "fairlead.session.v1.RunJournalService",
      "grpc.reflection.v1.ServerReflection",
    ]);
    expect(answer).toMatchObject({ validHost: "here", originalRequest: { messageRequest: "listServices" } });
  });

  it("gives all that a tool needs to call a method that it has never heard of", async () => {
    await using world = await startWorld();
    const [answer] = await world.ask({ fileContainingSymbol: "fairlead.session.v1.SessionService.CreateSession" });
    const files = answer?.fileDescriptorResponse?.fileDescriptorProto ?? [];
    const definitions = loadFileDescriptorSetFromBuffer(toDescriptorSet(files), LOADER_OPTIONS);
    const { CreateSession, GetSession } = methodsOf(definitions["fairlead.session.v1.SessionService"]);
    await using tool = new GrpcPeer({ ...world.options, methods: {} });
    const key = { tenant_id: "default", app_name: "app", user_id: "user", id: "session" };
    await tool.clientStream(CreateSession, [{ header: key, complete: true }]);
    const found = await Array.fromAsync(tool.serverStream(GetSession, { key }));
    expect(found).toMatchObject([{ session: { key, revision: 0 } }]);
  });

  it("finds files by name, and answers what it does not know without ending the conversation", async () => {
    await using world = await startWorld();
    const answers = await world.ask(
      { fileContainingSymbol: "fairlead.session.v1.Nothing" },
      { fileByFilename: "fairlead/none.proto" },
      { allExtensionNumbersOfType: "fairlead.common.v1.Event" },
      { allExtensionNumbersOfType: "nobody" },
      { fileContainingExtension: { containingType: "fairlead.common.v1.Event", extensionNumber: 1 } },
      {},
      { fileByFilename: "fairlead/common/v1/session_key.proto" },
    );
    expect(answers.map(({ errorResponse }) => errorResponse?.errorCode)).toEqual([
      ...[status.NOT_FOUND, status.NOT_FOUND, undefined, status.NOT_FOUND, status.NOT_FOUND, status.INVALID_ARGUMENT],
      undefined,
    ]);
    expect(answers[2]?.allExtensionNumbersResponse).toEqual({
      baseTypeName: "fairlead.common.v1.Event",
      extensionNumber: [],
    });
    expect(answers[6]?.fileDescriptorResponse?.fileDescriptorProto).toHaveLength(1);
  });

  it("is not there unless it was asked for", async () => {
    await using world = await startWorld(false);
    await expect(world.ask({ listServices: "" })).rejects.toMatchObject({ reason: "NOT_IMPLEMENTED" });
  });
});

type Learnt = Record<"CreateSession" | "GetSession", CalledMethod<object, unknown>>;

function methodsOf(definition: AnyDefinition | undefined): Learnt {
  if (definition === undefined || "format" in definition) throw new Error("The service is not among the files.");
  // Its methods are looked up by name; a missing one fails the call.
  return definition as unknown as Learnt;
}

/** The files as one google.protobuf.FileDescriptorSet: each after its tag and its length. */
function toDescriptorSet(files: readonly Buffer[]): Buffer {
  return Buffer.concat(
    files.flatMap((file) => {
      const prefix = [0x0a];
      let length = file.length;
      for (; length > 0x7f; length >>>= 7) prefix.push((length & 0x7f) | 0x80);
      return [Buffer.from([...prefix, length]), file];
    }),
  );
}
