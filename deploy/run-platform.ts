import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SecretSettings, writeCredentialKeys, writeServiceSecrets } from "#tooling/service-secrets.ts";
import { type Backends, startBackends } from "./platform/backends.ts";
import { DevelopmentSignIn } from "./platform/development-sign-in.ts";
import { type PlatformOptions, parseOptions, USAGE } from "./platform/options.ts";
import { type PlannedService, planServices, replicasOf } from "./platform/plan.ts";
import { ServiceChild } from "./platform/service-child.ts";
import { untilReady } from "./platform/until-ready.ts";

// Runs the six services and their backends as processes on this machine, until Ctrl-C.
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => (stopping.signal.aborted ? process.exit(1) : stopping.abort()));
  }
  try {
    const options = parseOptions(args);
    if (options === "help") console.log(USAGE);
    else await runPlatform(options, stopping);
    return 0;
  } catch (error) {
    // It was stopped before it was ready.
    if (error === stopping.signal.reason) return 0;
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function runPlatform(options: PlatformOptions, stopping: AbortController): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "fairlead-"));
  if (options.dataDir === undefined) stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const backends = stack.use(await startBackends(options));
  const secrets = options.secured ? openSecrets(stack) : undefined;
  const signIn = options.auth ? stack.use(await DevelopmentSignIn.start(dataDir)) : undefined;
  const services = await planServices(options, {
    backends: backends.settings,
    dataDir,
    ...(options.stores !== "sqlite" && { credentialKeysFile: writeCredentialKeys(dataDir) }),
    ...(signIn !== undefined && { signIn: signIn.settings }),
    ...(secrets !== undefined && { secrets }),
  });
  let failure: string | undefined;
  const children = services.map(
    (service) =>
      new ServiceChild(service, (message) => {
        failure ??= message;
        stopping.abort();
      }),
  );
  // In the reverse order of the start: callers end before the services that they call.
  for (const child of children) stack.defer(() => child.stop());
  process.once("exit", () => {
    for (const child of children) child.kill();
    backends.kill();
  });
  for (const child of children) child.start();

  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve()));
  try {
    await untilReady(services, stopping.signal);
    announce(options, backends, children);
    if (signIn !== undefined) {
      const url = urlOf(services);
      console.log(`Sign in at ${url}/auth/login with any name, or with this key, which may do everything:`);
      console.log(`  ${await signIn.createKey(url)}`);
    }
    await stopped;
  } catch (error) {
    throw failure === undefined ? error : new Error(failure);
  } finally {
    console.log("stopping");
  }
  if (failure !== undefined) throw new Error(failure);
}

/** New secrets for each start, in a folder that is removed with the platform. */
function openSecrets(stack: AsyncDisposableStack): SecretSettings {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-secrets-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return writeServiceSecrets(folder);
}

function announce(options: PlatformOptions, backends: Backends, children: readonly ServiceChild[]): void {
  for (const name of backends.processes) console.log(`  ${name}`);
  for (const { service, pid } of children) console.log(`  ${service.label} ${pid} (${service.adminUrl}/ready)`);
  if (options.replicas > 1 && replicasOf("session", options) === 1) {
    console.log("  One session service only: its store is a file, which belongs to one process.");
  }
  console.log(`The platform is ready: ${urlOf(children.map(({ service }) => service))}`);
}

function urlOf(services: readonly PlannedService[]): string {
  return services.find(({ name }) => name === "gateway")?.adminUrl ?? "";
}
