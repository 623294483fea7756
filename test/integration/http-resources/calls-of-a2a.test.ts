import { expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { PushStore } from "#ports/push/push-store.ts";
import { TabularPushStore } from "#ports/push/tabular-push-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { notingCalls } from "#test/helpers/noting-calls.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const HOOK = { id: "hook", url: "https://hooks.example.com/" };
const PUSH = { pushNotificationConfig: HOOK };
const parts = [{ kind: "text", text: "Hello" }];
const OLD_MESSAGE = { kind: "message", messageId: "m-1", contextId: "c-1", role: "user", parts };
const MESSAGE = { messageId: "m-1", contextId: "c-1", role: "ROLE_USER", parts: [{ text: "Hello" }] };
const OLD_REST_MESSAGE = { messageId: "m-1", contextId: "c-1", role: "ROLE_USER", content: [{ text: "Hello" }] };

/** Each operation: over JSON-RPC with its parameters, and over HTTP+JSON with its body; `ID` is the task's id. */
const OPERATIONS = {
  "1.0": [
    ["SendMessage", { message: MESSAGE }, "POST message:send", { message: MESSAGE }],
    // Sent again, it finds its task.
    ["SendMessage", { message: MESSAGE }, "POST message:send", { message: MESSAGE }],
    ["SendStreamingMessage", { message: MESSAGE }, "POST message:stream", { message: MESSAGE }],
    ["GetTask", { id: "ID", historyLength: 1 }, "GET tasks/ID?historyLength=1"],
    ["GetTask", { id: "absent" }, "GET tasks/absent"],
    ["ListTasks", { contextId: "c-1", pageSize: 5 }, "GET tasks?contextId=c-1&pageSize=5"],
    ["SubscribeToTask", { id: "ID" }, "POST tasks/ID:subscribe"],
    ["CreateTaskPushNotificationConfig", { ...HOOK, taskId: "ID" }, "POST tasks/ID/pushNotificationConfigs", HOOK],
    ["GetTaskPushNotificationConfig", { taskId: "ID", id: "hook" }, "GET tasks/ID/pushNotificationConfigs/hook"],
    ["ListTaskPushNotificationConfigs", { taskId: "ID" }, "GET tasks/ID/pushNotificationConfigs"],
    ["DeleteTaskPushNotificationConfig", { taskId: "ID", id: "hook" }, "DELETE tasks/ID/pushNotificationConfigs/hook"],
    ["CancelTask", { id: "ID" }, "POST tasks/ID:cancel"],
  ],
  "0.3": [
    ["message/send", { message: OLD_MESSAGE }, "POST v1/message:send", { message: OLD_REST_MESSAGE }],
    ["message/send", { message: OLD_MESSAGE }, "POST v1/message:send", { message: OLD_REST_MESSAGE }],
    ["message/stream", { message: OLD_MESSAGE }, "POST v1/message:stream", { message: OLD_REST_MESSAGE }],
    ["tasks/get", { id: "ID", historyLength: 1 }, "GET v1/tasks/ID?historyLength=1"],
    ["tasks/get", { id: "absent" }, "GET v1/tasks/absent"],
    ["tasks/resubscribe", { id: "ID" }, "POST v1/tasks/ID:subscribe"],
    ["tasks/pushNotificationConfig/set", { ...PUSH, taskId: "ID" }, "POST v1/tasks/ID/pushNotificationConfigs", PUSH],
    [
      "tasks/pushNotificationConfig/get",
      { id: "ID", pushNotificationConfigId: "hook" },
      "GET v1/tasks/ID/pushNotificationConfigs/hook",
    ],
    ["tasks/pushNotificationConfig/list", { id: "ID" }, "GET v1/tasks/ID/pushNotificationConfigs"],
    [
      "tasks/pushNotificationConfig/delete",
      { id: "ID", pushNotificationConfigId: "hook" },
      "DELETE v1/tasks/ID/pushNotificationConfigs/hook",
    ],
    ["tasks/cancel", { id: "ID" }, "POST v1/tasks/ID:cancel"],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [string, object, string, object?])[]>>;

type Version = keyof typeof OPERATIONS;

interface Called {
  readonly operation: string;
  readonly calls: readonly string[];
  readonly answer: string;
}

/** What each operation asks the ports for, in a world of its own, and what its client gets. */
async function callsOver(binding: "JSON-RPC" | "HTTP+JSON", version: Version): Promise<readonly Called[]> {
  const noted: string[] = [];
  const clock = new FixedClock();
  const ids = new SequentialIds("id");
  const pushStore = notingCalls<PushStore>("pushStore", new TabularPushStore({ table: new InMemoryRowTable() }), noted);
  await using world = await startGateway({
    clock,
    config: { A2A_APPS: ["echo"], A2A_PUSH: "memory" },
    deps: { ids, pushStore },
    watch: (name, port) => notingCalls(name, port, noted),
  });
  let taskId = "";
  const called: Called[] = [];
  for (const [method, params, place, body] of OPERATIONS[version]) {
    noted.length = 0;
    const named = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll('"ID"', `"${taskId}"`));
    const [verb, path = ""] = place.replace("ID", taskId).split(" ");
    const payload = binding === "HTTP+JSON" ? body : { jsonrpc: "2.0", id: 1, method, params: named(params) };
    const { statusCode, body: text } = await world.gateway.inject({
      // The table has these methods only.
      method: binding === "HTTP+JSON" ? (verb as "GET") : "POST",
      url: binding === "HTTP+JSON" ? `/a2a/echo/${path}` : "/a2a/echo",
      headers: version === "1.0" ? { "a2a-version": version } : {},
      ...(payload !== undefined && { payload }),
    });
    if (taskId === "") taskId = idIn(text);
    // The deliverer works beside its requests.
    const calls = noted.filter((line) => !/^ {2}pushStore\.(take|put|release|remove|listDue)/.test(line));
    called.push({ operation: method, calls, answer: `${statusCode} ${text.trimEnd()}` });
  }
  return called;
}

function idIn(text: string): string {
  const body: JsonObject = JSON.parse(text);
  const result = isJsonObject(body["result"]) ? body["result"] : body;
  const task = isJsonObject(result["task"]) ? result["task"] : result;
  return String(task["id"]);
}

function comparable(called: readonly Called[]) {
  // The handlers of 0.3 in the SDK check the card before different operations.
  const isOfCard = (line: string) => line.includes("runnerService.describeApp(");
  return called.map(({ operation, calls }) => ({ operation, calls: calls.filter((line) => !isOfCard(line)) }));
}

it.each(["1.0", "0.3"] as const)(
  "operations of A2A %s ask the ports for the same in both bindings, and for what is listed",
  async (version) => {
    verifies("platform:a2a:versions");
    const rpc = await callsOver("JSON-RPC", version);
    const http = await callsOver("HTTP+JSON", version);
    expect(comparable(http)).toEqual(comparable(rpc));
    const lines = rpc.flatMap(({ operation, calls, answer }, index) => [
      operation,
      ...calls,
      ...indented(answer),
      ...indented(http[index]?.answer ?? ""),
    ]);
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`calls-of-routes/a2a-${version}.txt`);
  },
);

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => `    ${line}`);
}
