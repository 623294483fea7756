import { credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import Fastify, { type InjectOptions } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { grpcBinding } from "./grpc-binding.ts";
import { toJson } from "./grpc-messages.ts";

const { A2AService } = loadProto("a2a").lf.a2a.v1;
type Client = InstanceType<typeof A2AService>;
type Answered = (error: ServiceError | null) => void;

/** A gateway that notes each request and answers with the text, behind the binding. */
async function openBinding(text = "") {
  const gateway = Fastify();
  const asked: { readonly line: string; readonly body: unknown; readonly headers: object }[] = [];
  gateway.all("/*", ({ method, url, headers, body }, reply) => {
    asked.push({ line: `${method} ${url}`, body, headers });
    return reply.type("application/json").send(text);
  });
  const addresses: unknown[] = [];
  const inject = ((options: InjectOptions) => {
    addresses.push(options.remoteAddress);
    return gateway.inject(options);
  }) as typeof gateway.inject;
  const binding = grpcBinding({ gateway: { inject }, defaultAppName: "desk", logger: silentLogger });
  const server = new GrpcServer({ services: [binding] });
  const client = new A2AService(`127.0.0.1:${await server.listen("127.0.0.1:0")}`, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    server.abort();
    await gateway.close();
  });
  return { client, asked, addresses, gateway };
}

const MESSAGE = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Go." }] };
const HOOK = { taskId: "a/b", id: "my hook" };

type Call = readonly [line: string, call: (client: Client, answered: Answered) => unknown, body?: object];

/** Each call of the service, and the request of the other binding that it is. */
const CALLS: Readonly<Record<string, Call>> = {
  SendMessage: [
    "POST /a2a/desk/message:send",
    (client, done) => client.SendMessage({ message: MESSAGE }, done),
    { message: MESSAGE },
  ],
  SendStreamingMessage: [
    "POST /a2a/desk/message:stream",
    (client, done) => whenEnded(client.SendStreamingMessage({ message: MESSAGE }), done),
    { message: MESSAGE },
  ],
  GetTask: [
    "GET /a2a/shop/tasks/a%2Fb?historyLength=3",
    (client, done) => client.GetTask({ tenant: "shop", id: "a/b", historyLength: 3 }, done),
  ],
  ListTasks: [
    "GET /a2a/desk/tasks?contextId=c&status=TASK_STATE_COMPLETED&pageSize=2&pageToken=p&historyLength=0&statusTimestampAfter=2026-01-02T03%3A04%3A05.006Z&includeArtifacts=true",
    (client, done) =>
      client.ListTasks(
        {
          ...{ contextId: "c", status: "TASK_STATE_COMPLETED", pageSize: 2, pageToken: "p", historyLength: 0 },
          ...{ statusTimestampAfter: { seconds: 1_767_323_045, nanos: 6_000_000 }, includeArtifacts: true },
        },
        done,
      ),
  ],
  CancelTask: ["POST /a2a/desk/tasks/a%2Fb:cancel", (client, done) => client.CancelTask({ id: "a/b" }, done)],
  SubscribeToTask: [
    "POST /a2a/desk/tasks/a%2Fb:subscribe",
    (client, done) => whenEnded(client.SubscribeToTask({ id: "a/b" }), done),
  ],
  GetExtendedAgentCard: [
    "GET /a2a/shop/extendedAgentCard",
    (client, done) => client.GetExtendedAgentCard({ tenant: "shop" }, done),
  ],
  CreateTaskPushNotificationConfig: [
    "POST /a2a/desk/tasks/a%2Fb/pushNotificationConfigs",
    (client, done) => client.CreateTaskPushNotificationConfig({ ...HOOK, url: "https://a.test/", token: "t" }, done),
    { ...HOOK, url: "https://a.test/", token: "t" },
  ],
  GetTaskPushNotificationConfig: [
    "GET /a2a/desk/tasks/a%2Fb/pushNotificationConfigs/my%20hook",
    (client, done) => client.GetTaskPushNotificationConfig(HOOK, done),
  ],
  ListTaskPushNotificationConfigs: [
    "GET /a2a/desk/tasks/a%2Fb/pushNotificationConfigs",
    (client, done) => client.ListTaskPushNotificationConfigs({ taskId: "a/b" }, done),
  ],
  DeleteTaskPushNotificationConfig: [
    "DELETE /a2a/desk/tasks/a%2Fb/pushNotificationConfigs/my%20hook",
    (client, done) => client.DeleteTaskPushNotificationConfig(HOOK, done),
  ],
};

function whenEnded(stream: ReturnType<Client["SubscribeToTask"]>, done: Answered): void {
  stream.on("error", done).on("end", () => done(null));
  stream.resume();
}

it("makes each call of the service the request of HTTP+JSON that does the same", async () => {
  verifies("platform:a2a:grpc");
  const { client, asked } = await openBinding();
  expect(Object.keys(CALLS).toSorted()).toEqual(Object.keys(A2AService.service).toSorted());
  for (const [line, call, body] of Object.values(CALLS)) {
    const error = await new Promise<ServiceError | null>((resolve) => call(client, resolve));
    expect([line, error]).toEqual([line, null]);
    const request = asked.at(-1);
    expect(request?.line).toBe(line);
    expect(request?.body ?? {}).toMatchObject(body ?? {});
  }
});

it("passes what identifies the caller, and nothing that only browsers send", async () => {
  verifies("platform:a2a:grpc");
  const { client, asked, addresses } = await openBinding();
  const metadata = new Metadata();
  const passed = {
    authorization: "Bearer t",
    "x-api-key": "k",
    "a2a-extensions": "https://e.test",
    traceparent: "00-1",
  };
  for (const [name, value] of Object.entries(passed)) metadata.set(name, value);
  for (const name of ["cookie", "origin", "referer", "idempotency-key", "if-none-match"]) metadata.set(name, "x");
  await new Promise((resolve) => client.GetTask({ id: "t" }, metadata, resolve));
  const { "user-agent": _, ...headers } = asked[0]?.headers as Record<string, string>;
  expect(headers).toEqual({ ...passed, "a2a-version": "1.0", host: "localhost" });
  expect(addresses).toEqual(["127.0.0.1"]);
});

it("answers with each member of a task, as the gateway writes it", async () => {
  verifies("platform:a2a:grpc");
  const task = {
    id: "t",
    contextId: "c",
    status: {
      state: "TASK_STATE_FAILED",
      message: { messageId: "m", contextId: "c", taskId: "t", role: "ROLE_AGENT", parts: [{ text: "No." }] },
      timestamp: "2026-01-02T03:04:05.006Z",
    },
    artifacts: [
      {
        artifactId: "a",
        name: "n",
        description: "d",
        parts: [
          { raw: Buffer.from("bytes").toString("base64"), mediaType: "image/png", filename: "a.png" },
          {
            url: "https://a.test/",
            metadata: { deep: { list: [1, "two", null, false, { three: 3 }], nothing: null } },
          },
          { data: { list: [[], {}], text: "t" } },
        ],
        metadata: { of: "artifact" },
        extensions: ["https://e.test"],
      },
    ],
    history: [{ messageId: "h", role: "ROLE_USER", parts: [{ data: [true, null] }], referenceTaskIds: ["other"] }],
    metadata: { 数: 0.5, __proto: "own" },
  };
  const { client } = await openBinding(JSON.stringify(task));
  const answer = await new Promise((resolve, reject) =>
    client.GetTask({ id: "t" }, (error, found) => (error ? reject(error) : resolve(found))),
  );
  expect(toJson(answer)).toMatchObject(task);
});

it("ends the request of a client that leaves its stream", async () => {
  const { client, gateway } = await openBinding();
  const left = Promise.withResolvers<void>();
  gateway.addHook("onRequest", async (_request, reply) => {
    reply.hijack();
    reply.raw.once("close", left.resolve);
    reply.raw.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
  });
  const stream = client.SubscribeToTask({ id: "t" });
  stream.on("error", () => {}).once("data", () => stream.cancel());
  await left.promise;
});
