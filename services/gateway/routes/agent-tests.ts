import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";

const AppParams = Type.Object({ appName: Type.String() });
const TestParams = Type.Object({ appName: Type.String(), testName: Type.String() });
const ACCESS = { scope: "evals", owner: "app" } as const;
const ONE_TEST = { tags: ["not offered"], access: ACCESS, params: TestParams } as const;
const TESTS = "/dev/apps/:appName/tests";

/**
 * The routes of recorded tests of an app, which the developer UI calls behind a flag: there are none, and none can be
 * created.
 */
export function agentTestRoutes(): TypedRoutes {
  return async (app) => {
    const list = described({
      operationId: "listRecordedTests",
      answer: "small",
      access: ACCESS,
      tags: ["not offered"],
      summary: "List the recorded tests of an app: there are none",
      params: AppParams,
      response: answers({ 200: Type.Array(Type.String()) }),
    });
    app.get(TESTS, { schema: list }, async () => []);

    const read = described({
      ...ONE_TEST,
      operationId: "readRecordedTest",
      answer: "small",
      summary: "Read a recorded test of an app",
      errors: ["AGENT_TEST_NOT_FOUND"],
    });
    app.get(`${TESTS}/:testName`, { schema: read }, async ({ params: { testName } }) => {
      throw new PlatformError("AGENT_TEST_NOT_FOUND", "Test file not found", { details: { testName } });
    });

    const refused = { ...ONE_TEST, errors: ["NOT_IMPLEMENTED"] } as const;
    const replace = described({
      ...refused,
      operationId: "replaceRecordedTest",
      answer: "small",
      summary: "Replace a recorded test",
    });
    app.put(`${TESTS}/:testName`, { schema: replace }, refuse);
    const remove = described({
      ...refused,
      operationId: "deleteRecordedTest",
      answer: "small",
      summary: "Delete a recorded test",
    });
    app.delete(`${TESTS}/:testName`, { schema: remove }, refuse);
    const run = described({
      ...refused,
      operationId: "runRecordedTest",
      answer: "small",
      summary: "Run a recorded test",
    });
    app.post(`${TESTS}/:testName`, { schema: run }, refuse);
  };
}

async function refuse(): Promise<never> {
  throw new PlatformError("NOT_IMPLEMENTED", "This server does not record tests. Use evaluation sets.");
}
