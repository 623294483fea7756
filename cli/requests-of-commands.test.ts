import { createServer } from "node:http";
import { afterEach, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { inbox } from "./runs/inbox.ts";
import { runs } from "./runs/runs.ts";
import { schedules } from "./runs/schedules.ts";
import { webhooks } from "./runs/webhooks.ts";
import { tenants } from "./tenants.ts";
import { usage } from "./usage.ts";

const seen: unknown[] = [];
const RUN = { runId: "r/1", status: "succeeded", appName: "a", userId: "u", sessionId: "s", attempts: 1, epoch: 1 };
const ANSWERS: Readonly<Record<string, object>> = {
  "/v1/usage": { usage: [] },
  "/v1/tenant-deletions": { deletions: ["d"] },
  "/v1/tenants/t%2F1": { isDone: true, deleted: { sessions: 2, evaluationJobs: 1 } },
  "/v1/runs": { runs: [RUN] },
  "/v1/inbox": { entries: [] },
  "/v1/webhooks": { id: "w/1", secret: "whsec_1", webhooks: [] },
  "/v1/webhooks/w%2F1/deliveries": { deliveries: [] },
  "/v1/webhooks/w%2F1": { enabled: false },
  "/v1/webhooks/w%2F1/rotate": { secret: "whsec_2" },
  "/v1/webhooks/w%2F1/test": { id: "msg_1" },
  "/v1/schedules": { id: "s/1", enabled: true, nextTime: 0, schedules: [] },
};

const server = createServer((request, response) => {
  const { method, url = "", headers } = request;
  seen.push(`${method} ${url} ${headers.authorization ?? "nobody"}`);
  const answer = ANSWERS[url.split("?", 1)[0] ?? ""] ?? { ...RUN, createdTime: 0 };
  response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const URL_OF_SERVER = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
server.unref();
afterEach(() => void seen.splice(0));

const clock = new FixedClock();
const given = { defaultUrl: "http://127.0.0.1:1", credentials: "key" };
const COMMANDS: readonly (readonly [string, (...typed: readonly string[]) => Promise<string>])[] = [
  ["usage", (...typed) => usage({ typed, ...given })],
  ["runs", (...typed) => runs({ typed, ...given, clock })],
  ["inbox", (...typed) => inbox({ typed, ...given, clock })],
  ["schedules", (...typed) => schedules({ typed, ...given })],
  ["webhooks", (...typed) => webhooks({ typed, ...given })],
  ["tenants", (...typed) => tenants({ typed, ...given })],
];
const commands = new Map(COMMANDS);

it.each<[string, string, string]>([
  ["usage --app a&b --user u --key k", "GET /v1/usage?appName=a%26b&userId=u&keyId=k", "No quotas."],
  ["usage --json", "GET /v1/usage?", "[]"],
  [
    "runs list --app a --user u --session s --status failed --limit 7 --json",
    "GET /v1/runs?appName=a&userId=u&sessionId=s&status=failed&pageSize=7",
    "",
  ],
  ["runs list --limit 1001 --json", "GET /v1/runs?pageSize=1000", ""],
  ["runs show r/1", "GET /v1/runs/r%2F1", ""],
  ["runs cancel r/1", "POST /v1/runs/r%2F1/cancel", "Run r/1 is succeeded."],
  ["runs requeue r/2", "POST /v1/runs/r%2F2/requeue", "Run r/2 is requeued as r/1, which is succeeded."],
  ["inbox --app a --user u --limit 7", "GET /v1/inbox?appName=a&userId=u&pageSize=7", "Nothing waits."],
  ["inbox list --json", "GET /v1/inbox?pageSize=20", "[]"],
  ["inbox approve r/1", "POST /v1/inbox/r%2F1", "Answered by run r/1."],
  ["inbox approve r/1 --take-over", "POST /v1/inbox/r%2F1", "Answered by run r/1."],
  ["inbox release r/1", "DELETE /v1/inbox/r%2F1/claim", "Entry r/1 is free."],
  ["schedules --app a --user u --limit 7", "GET /v1/schedules?appName=a&userId=u&pageSize=7", "No schedules."],
  ["schedules list --json", "GET /v1/schedules?pageSize=50", "[]"],
  [
    "schedules create hello --app a --user u --cron @daily --zone UTC",
    "POST /v1/schedules",
    "Schedule s/1 ticks next at 1970-01-01T00:00:00.000Z.",
  ],
  ["schedules pause s/1", "POST /v1/schedules/s%2F1/pause", "Schedule s/1 is paused."],
  ["schedules trigger s/1", "POST /v1/schedules/s%2F1/trigger", "Schedule s/1 has started the run r/1."],
  ["schedules delete s/1", "DELETE /v1/schedules/s%2F1", "Schedule s/1 is deleted."],
  ["webhooks --limit 7", "GET /v1/webhooks?pageSize=7", "No webhooks."],
  [
    "webhooks create https://a.example --app a --event run.failed",
    "POST /v1/webhooks",
    "Webhook w/1 is made. Its secret, shown this once: whsec_1",
  ],
  ["webhooks update w/1 --off", "PATCH /v1/webhooks/w%2F1", "Webhook w/1 is changed, and is off."],
  ["webhooks rotate w/1", "POST /v1/webhooks/w%2F1/rotate", "Webhook w/1 has a new secret, shown this once: whsec_2"],
  ["webhooks test w/1", "POST /v1/webhooks/w%2F1/test", "The message msg_1 is sent: fairlead webhooks deliveries w/1"],
  [
    "webhooks deliveries w/1 --state dead",
    "GET /v1/webhooks/w%2F1/deliveries?pageSize=50&state=dead",
    "No deliveries.",
  ],
  [
    "webhooks replay w/1 msg_1",
    "POST /v1/webhooks/w%2F1/deliveries/msg_1/replay",
    "The message msg_1 is sent again: fairlead webhooks deliveries w/1",
  ],
  ["webhooks delete w/1", "DELETE /v1/webhooks/w%2F1", "Webhook w/1 is deleted."],
  ["tenants deletions", "GET /v1/tenant-deletions", '{\n  "deletions": [\n    "d"\n  ]\n}'],
  [
    "tenants delete t/1 --user u --confirm t/1",
    "DELETE /v1/tenants/t%2F1?userId=u&confirm=t%2F1",
    "Deleted: 2 sessions, 1 evaluation jobs.",
  ],
])("fairlead %s asks the named server for all that is typed", async (line, request, output) => {
  const [name = "", ...typed] = line.split(" ");
  const printed = await commands.get(name)?.(...typed, "--url", URL_OF_SERVER);
  expect(seen).toEqual([`${request} Bearer key`]);
  if (output !== "") expect(printed).toBe(output);
});

it.each(COMMANDS)(
  "fairlead %s asks the server of the environment if none is typed, and then says that none answers",
  async (name, command) => {
    const typed = { usage: [], runs: ["list"], tenants: ["deletions"] }[name] ?? [];
    await expect(command(...typed)).rejects.toThrow("No answer from http://127.0.0.1:1: is the server running?");
    expect(seen).toEqual([]);
  },
);
