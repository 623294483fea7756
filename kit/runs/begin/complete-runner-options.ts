import { type App, createApp } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunnerOptions } from "#kit/runs/base/runner-options.ts";
import { SessionCache } from "#kit/runs/base/session-cache.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

const DEFAULT_LEASE_MS = 10_000;

type AppFields = "app" | "appName" | "agent" | "plugins" | "resumabilityConfig";

type Defaulted =
  | "sessionService"
  | "journal"
  | "credentialService"
  | "outbound"
  | "clock"
  | "ids"
  | "logger"
  | "captureContent"
  | "errorDetail"
  | "sessionCache"
  | "holder"
  | "leaseMs";

export type CompleteRunnerOptions = Omit<RunnerOptions, AppFields> & Required<Pick<RunnerOptions, Defaulted | "app">>;

/** Fills in the defaults. Throws `FIELD_MISSING`, `SERVICE_MISSING` and what `createApp` throws. */
export function completeRunnerOptions(options: RunnerOptions): CompleteRunnerOptions {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? new UuidV7Generator();
  const { appName: _name, agent: _agent, plugins: _plugins, resumabilityConfig: _resumability, ...rest } = options;
  return {
    ...rest,
    app: appOf(options),
    ...storesOf(options, clock, ids),
    credentialService: options.credentialService ?? new InMemoryCredentialService(),
    outbound: options.outbound ?? createOutboundAccess(),
    clock,
    ids,
    logger: options.logger ?? silentLogger,
    captureContent: options.captureContent ?? false,
    errorDetail: options.errorDetail ?? "generic",
    sessionCache: options.sessionCache ?? new SessionCache(),
    holder: options.holder ?? ids.next(),
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
  };
}

function storesOf(
  { journal, sessionService }: RunnerOptions,
  clock: Clock,
  ids: IdGenerator,
): { sessionService: SessionService; journal: RunJournal } {
  if (journal !== undefined && sessionService !== undefined) return { journal, sessionService };
  if (sessionService !== undefined && isRunJournal(sessionService)) return { journal: sessionService, sessionService };
  if (journal !== undefined || sessionService !== undefined) {
    throw new PlatformError(
      "SERVICE_MISSING",
      "Pass sessionService and journal to the runner, or one sessionService that is both, or neither.",
    );
  }
  const store = new InMemorySessionStore({ clock, ids });
  return { sessionService: store, journal: store };
}

function appOf({ app, appName, agent, plugins = [], resumabilityConfig }: RunnerOptions): App {
  if (app === undefined) {
    if (appName === undefined || agent === undefined)
      throw new PlatformError("FIELD_MISSING", "Pass app to the runner, or appName and agent.");
    return createApp({ name: appName, rootAgent: agent, plugins, resumabilityConfig });
  }
  const addsSetting = resumabilityConfig !== undefined && app.resumability === undefined;
  if (plugins.length === 0 && !addsSetting) return app;
  return createApp({
    ...app,
    plugins: [...app.plugins, ...plugins],
    resumabilityConfig: addsSetting ? resumabilityConfig : undefined,
  });
}

function isRunJournal(service: SessionService): service is SessionService & RunJournal {
  return "begin" in service && "renew" in service && "finish" in service;
}
