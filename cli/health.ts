const TIMEOUT_MS = 2000;

/** The environment variables with the ports of this container's process. */
export interface HealthEnvironment {
  readonly PORT?: string | undefined;
  readonly ADMIN_PORT?: string | undefined;
}

/**
 * The health check of a container, which does not know which service the container runs: 0 if the gateway's port, or
 * the `/health` port of the others, answers that the process works, else 1.
 */
export async function health({ PORT, ADMIN_PORT }: HealthEnvironment): Promise<number> {
  try {
    await Promise.any([PORT || "8000", ADMIN_PORT || "9090"].map(expectHealthy));
    return 0;
  } catch {
    return 1;
  }
}

async function expectHealthy(port: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`/health answered ${response.status}.`);
}
