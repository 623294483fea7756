import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { createErrorHandler } from "../http/errors.ts";
import { authenticateRequests } from "./authenticate-requests.ts";
import { type Authenticator, callerOf } from "./authenticator.ts";
import { EVERYBODY } from "./caller.ts";

const ADA: Authenticator = {
  authenticate: ({ headers }) =>
    headers.authorization === "Bearer ada" ? { ...EVERYBODY, source: "api-key", subject: "key:ada" } : undefined,
};

async function subjectsOf(authenticators: readonly Authenticator[] | undefined) {
  const app = fastify();
  app.setErrorHandler(createErrorHandler({ logger: new RecordingLogger(), clock: new FixedClock() }));
  app.addHook(
    "onRequest",
    authenticateRequests({ config: { AUTH: ["none"] }, authenticators, isPublic: ({ url }) => url === "/public" }),
  );
  app.get("/*", async (request) => callerOf(request).subject);
  return async (url: string, authorization?: string) => {
    const { statusCode, headers, body } = await app.inject({
      url,
      headers: { ...(authorization && { authorization }) },
    });
    return statusCode === 200 ? body : [statusCode, headers["www-authenticate"], JSON.parse(body).reason];
  };
}

describe("the caller of a request", () => {
  it("is everybody on a server without authentication", async () => {
    const ask = await subjectsOf(undefined);
    expect(await ask("/runs", "Bearer wrong")).toBe("anonymous");
  });

  it("is the one that an authenticator finds, and 401 without one, except on public routes", async () => {
    const ask = await subjectsOf([{ authenticate: () => undefined }, ADA]);
    expect(await ask("/runs", "Bearer ada")).toBe("key:ada");
    expect(await ask("/runs")).toEqual([401, "Bearer", "UNAUTHENTICATED"]);
    expect(await ask("/runs", "Bearer bob")).toEqual([401, 'Bearer error="invalid_token"', "UNAUTHENTICATED"]);
    expect(await ask("/public", "Bearer bob")).toBe("anonymous");
  });
});
