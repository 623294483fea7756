import { setTimeout as pause } from "node:timers/promises";
import type { PlannedService } from "./plan.ts";

const LOOK_EVERY_MS = 100;
const TIMEOUT_MS = 60_000;

/** Resolves when each service reports that it is ready; otherwise throws what is missing. */
export async function untilReady(services: readonly PlannedService[], signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (;;) {
    const answers = await Promise.all(
      services.map(async (service) => ({ service, missing: await missingOf(service) })),
    );
    const late = answers.filter(({ missing }) => missing !== undefined);
    if (late.length === 0) return;
    signal.throwIfAborted();
    if (performance.now() > giveUpAt) {
      const lines = late.map(({ service, missing }) => `  ${service.label}: ${missing}`);
      throw new Error(`Not ready after ${TIMEOUT_MS / 1000} s:\n${lines.join("\n")}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

async function missingOf({ adminUrl }: PlannedService): Promise<string | undefined> {
  try {
    const response = await fetch(`${adminUrl}/ready`, { signal: AbortSignal.timeout(1000) });
    if (response.ok) return undefined;
    // The form of a service's answer.
    const { notReady } = (await response.json()) as { readonly notReady?: readonly string[] };
    return `waits for ${notReady?.join(", ")}`;
  } catch {
    return "does not answer";
  }
}
