import fastify from "fastify";
import { expect, it } from "vitest";
import { type LogFields, silentLogger } from "#kit/platform/logger.ts";
import { observeRequests } from "./observe-requests.ts";

it("reports and logs a request by its route's template, without the names in its path", async () => {
  const reported: unknown[] = [];
  const logged: unknown[] = [];
  const observer = {
    requestStarted: (route: string) => void reported.push(route),
    requestEnded: (request: unknown) => void reported.push(request),
  };
  const logger = {
    ...silentLogger,
    debug: (fields: LogFields, message: string) => void logged.push({ fields, message }),
  };
  let now = 0;
  const clock = { now: () => 0, monotonic: () => (now += 5) };
  const app = fastify({ genReqId: () => "r1" });
  app.addHook("onRequest", observeRequests(observer, clock, logger));
  app.get("/users/:user", async () => "hello");
  const url = await app.listen({ port: 0 });
  await (await fetch(`${url}/users/alice`)).text();
  await app.close();
  const ended = { method: "GET", route: "/users/:user", status: 200, durationMs: 5 };
  expect(reported).toEqual(["/users/:user", ended]);
  expect(logged).toEqual([{ fields: { requestId: "r1", ...ended }, message: "request ended" }]);
});
