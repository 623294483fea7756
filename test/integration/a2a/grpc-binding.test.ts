import { credentials, type ServiceError } from "@grpc/grpc-js";
import { expect, it, vi } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { startFixtureServer } from "#test/a2a/fixture-server.ts";
import { startPushReceiver, wordOf } from "#test/helpers/a2a/push-receiver.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { freePort } from "#tooling/free-ports.ts";

async function startClient(settings: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack();
  const port = await freePort();
  stack.use(await startFixtureServer({ A2A_GRPC_PORT: String(port), ...settings }));
  const client = new (loadProto("a2a").lf.a2a.v1.A2AService)(`127.0.0.1:${port}`, credentials.createInsecure());
  stack.defer(() => client.close());
  const owned = stack.move();
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function message(messageId: string) {
  const role = "ROLE_USER" as const;
  return { message: { messageId, role, parts: [{ text: "Go.", metadata: { fields: {} } }] } };
}

it("answers calls of gRPC, streams and refuses with the codes of the binding", async () => {
  verifies("platform:a2a:grpc");
  await using world = await startClient({ A2A_PUSH: "off" });
  const { client } = world;
  const sent = await new Promise<unknown>((resolve, reject) =>
    client.SendMessage(message("tck-artifact-data-1"), (error, answer) => (error ? reject(error) : resolve(answer))),
  );
  expect(sent).toMatchObject({
    payload: "task",
    task: {
      status: { state: "TASK_STATE_COMPLETED", timestamp: { seconds: expect.any(Number) } },
      artifacts: [
        {
          parts: [
            {
              content: "data",
              data: { structValue: { fields: { count: { numberValue: 42 }, key: { stringValue: "value" } } } },
            },
          ],
        },
      ],
    },
  });
  const stream = client.SendStreamingMessage(message("tck-stream-artifact-chunked"));
  const payloads: unknown[] = [];
  for await (const update of stream) payloads.push((update as { payload: string }).payload);
  expect(payloads).toEqual([
    "task",
    "statusUpdate",
    "artifactUpdate",
    "artifactUpdate",
    "artifactUpdate",
    "statusUpdate",
  ]);
  const refused = await new Promise<ServiceError | null>((resolve) =>
    client.GetTask({ id: "absent" }, (error) => resolve(error)),
  );
  expect(refused).toMatchObject({ code: 5, details: "Task not found" });
  const unsupported = await new Promise<ServiceError | null>((resolve) =>
    client.ListTaskPushNotificationConfigs({ taskId: "absent" }, (error) => resolve(error)),
  );
  expect(unsupported?.code).toBe(12);
});

it("keeps, lists and deletes push notification configurations over gRPC, and notifies", async () => {
  verifies("platform:a2a:push");
  await using receiver = await startPushReceiver();
  await using world = await startClient();
  const { client } = world;
  const sent = await new Promise<unknown>((resolve, reject) =>
    client.SendMessage(message("tck-input-required-1"), (error, answer) => (error ? reject(error) : resolve(answer))),
  );
  const { task } = sent as { readonly task: { readonly id: string } };
  const config = { taskId: task.id, id: "hook", url: receiver.url, token: "t" };
  const created = await new Promise<unknown>((resolve, reject) =>
    client.CreateTaskPushNotificationConfig(config, (error, answer) => (error ? reject(error) : resolve(answer))),
  );
  expect(created).toMatchObject({ ...config, token: "" });
  const listed = await new Promise<unknown>((resolve, reject) =>
    client.ListTaskPushNotificationConfigs({ taskId: task.id }, (error, answer) =>
      error ? reject(error) : resolve(answer),
    ),
  );
  expect(listed).toMatchObject({ configs: [{ id: "hook", url: receiver.url }] });
  const reply = { ...message("tck-complete-task-2").message, taskId: task.id };
  await new Promise<unknown>((resolve, reject) =>
    client.SendMessage({ message: reply }, (error, answer) => (error ? reject(error) : resolve(answer))),
  );
  await vi.waitFor(() => expect(receiver.taken.map(wordOf).at(-1)).toBe("COMPLETED"));
  await new Promise<unknown>((resolve, reject) =>
    client.DeleteTaskPushNotificationConfig({ taskId: task.id, id: "hook" }, (error, answer) =>
      error ? reject(error) : resolve(answer),
    ),
  );
  const gone = await new Promise<ServiceError | null>((resolve) =>
    client.GetTaskPushNotificationConfig({ taskId: task.id, id: "hook" }, (error) => resolve(error)),
  );
  expect(gone?.code).toBe(5);
});
