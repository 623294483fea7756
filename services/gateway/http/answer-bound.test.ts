import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PUBLIC_PAGE } from "../access/route-access.ts";
import type { GatewayConfig } from "../config.ts";
import { type AnswerBound, assertBound } from "./answer-bound.ts";
import { AnswerLimits } from "./limit-answers.ts";

const LIMITS = { maxBytes: 1_000_000, maxBytesOfUser: 0 };

function startLimited() {
  const account = new AnswerAccount(LIMITS);
  const logged: string[] = [];
  const log = (_fields: object, text: string): void => void logged.push(text);
  const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  // Only the time until a stalled reader is cut off is read.
  const config = { SSE_STALL_MS: 60_000 } as GatewayConfig;
  const limits = new AnswerLimits({ config, logger, answersOf: () => account.reader("user") });
  const app = fastify({ exposeHeadRoutes: false });
  app.addHook("onRoute", (route) => {
    assertBound(route);
    limits.addTo(route);
  });
  limits.watch(app);
  return { app, account, logged };
}

function bounded(answer: AnswerBound) {
  return { schema: { ...PUBLIC_PAGE.schema, answer } as object };
}

describe("the bound of a route's answers", () => {
  it("is demanded of every route", () => {
    verifies("limits:answer-bytes");
    const { app } = startLimited();
    app.get("/page", PUBLIC_PAGE, async () => "page");
    expect(() => app.get("/forgotten", async () => "data")).toThrow(
      "The route GET /forgotten declares no bound of its answers.",
    );
    expect(() => assertBound({ url: "/agents*", method: "OPTIONS" }, "/agents")).not.toThrow();
  });

  it("is room that the account has while the handler runs, once for a copy of the route, and no longer than the answer", async () => {
    const { app, account } = startLimited();
    const used: number[] = [];
    app.addHook("onRoute", (route) => {
      if (route.url === "/all") app.route({ ...route, url: "/copy" });
    });
    app.get(
      "/all",
      bounded(() => 600_000),
      async () => {
        used.push(account.usedBytes);
        return "answer";
      },
    );
    for (const url of ["/all", "/copy"]) expect((await app.inject(url)).body).toBe("answer");
    expect([used, account.usedBytes]).toEqual([[600_000, 600_000], 0]);
  });

  it("is waited for before the handler runs", async () => {
    const { app, account } = startLimited();
    let runs = 0;
    app.get(
      "/all",
      bounded(() => 600_000),
      async () => {
        runs += 1;
        return "answer";
      },
    );
    const other = account.reader("other").take(500_000);
    const answer = app.inject("/all");
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toBe(0);
    other?.[Symbol.dispose]();
    expect((await answer).body).toBe("answer");
  });

  it("is held: a longer answer is logged, and counts nevertheless", async () => {
    const { app, account, logged } = startLimited();
    app.get("/long", bounded("small"), async () => "l".repeat(100_000));
    app.get("/files", bounded("of-the-operator"), async () => "f".repeat(100_000));
    for (const url of ["/files", "/long"]) expect((await app.inject(url)).body).toHaveLength(100_000);
    expect([logged, account.usedBytes]).toEqual([["answer is longer than its route states"], 0]);
  });
});
