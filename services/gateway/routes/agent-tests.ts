import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, ErrorSchema } from "../requests/wire-schemas.ts";

const AppParams = Type.Object({ appName: Type.String() });
const TestParams = Type.Object({ appName: Type.String(), testName: Type.String() });
const TESTS = "/dev/apps/:appName/tests";

/**
 * The routes of recorded tests of an app, which the developer UI calls behind a flag: there are none, and none can be
 * created.
 */
export function agentTestRoutes(): TypedRoutes {
  return async (app) => {
    const list = { tags: ["tests"], summary: "Recorded tests of an app", params: AppParams };
    app.get(TESTS, { schema: { ...list, response: answers({ 200: Type.Array(Type.String()) }) } }, async () => []);

    const one = { schema: { params: TestParams, response: answers({ 404: ErrorSchema }) } };
    app.get(`${TESTS}/:testName`, one, async ({ params: { testName } }) => {
      throw new PlatformError("AGENT_TEST_NOT_FOUND", "Test file not found", { details: { testName } });
    });

    app.put(`${TESTS}/:testName`, { schema: { params: TestParams } }, refuse);
    app.delete(`${TESTS}/:testName`, { schema: { params: TestParams } }, refuse);
    app.post(`${TESTS}/:testName`, { schema: { params: TestParams } }, refuse);
  };
}

async function refuse(): Promise<never> {
  throw new PlatformError("NOT_IMPLEMENTED", "This server does not record tests. Use evaluation sets.");
}
