import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";

/** The runner for requests. Its message for an app that does not exist names the apps of the caller. */
export function nameApps(runner: RunnerService): RunnerService {
  return {
    startRun: (request) => naming(runner, request.session.appName, () => runner.startRun(request)),
    cancelRun: (...names) => runner.cancelRun(...names),
    listApps: () => runner.listApps(),
    describeApp: (appName) => naming(runner, appName, () => runner.describeApp(appName)),
  };
}

async function naming<T>(runner: RunnerService, appName: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== "APP_NOT_FOUND") throw error;
    throw appNotFound(appName, await runner.listApps());
  }
}
