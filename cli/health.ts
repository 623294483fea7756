const TIMEOUT_MS = 2000;

/** The part of the environment that says where a process of this container answers. */
export interface HealthEnvironment {
  readonly PORT?: string | undefined;
  readonly ADMIN_PORT?: string | undefined;
}

/**
 * For a container's health check, which does not know which service it is beside: 0 when the gateway's port or the port of the others'
 * `/health` answers that the process lives, else 1.
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
