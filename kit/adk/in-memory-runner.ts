import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { RunnerOptions } from "#kit/runs/base/runner-options.ts";
import { Runner } from "#kit/runs/runner.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemorySessionService } from "./in-memory-session-service.ts";

/** The app to run, or its agent; the app's name is `InMemoryRunner` if it is absent. */
export type InMemoryRunnerOptions = Pick<RunnerOptions, "app" | "agent" | "appName" | "plugins" | "resumabilityConfig">;

/** A runner with sessions, artifacts and memory in the memory of this process. */
export class InMemoryRunner extends Runner {
  declare readonly sessionService: InMemorySessionService;

  /** Throws what `new Runner` throws. */
  constructor({ appName = "InMemoryRunner", ...options }: InMemoryRunnerOptions) {
    const services = { clock: systemClock, ids: new UuidV7Generator() };
    super({
      ...options,
      ...services,
      appName,
      sessionService: new InMemorySessionService(services),
      artifactService: new InMemoryArtifactService(services),
      memoryService: new InMemoryMemoryService(services),
    });
  }
}
