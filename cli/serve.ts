import { Version } from "#kit/version.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { runStandalone } from "#services/standalone/run-standalone.ts";

/** Serves until a signal ends the process. */
export async function serve(config: StandaloneConfig): Promise<void> {
  const { url } = await runStandalone(config);
  const address = config.DEV_UI ? `${url}${config.PATH_PREFIX}/dev-ui` : url;
  console.log(`Agentplane ${Version.AGENTPLANE_VERSION} is ready: ${address}`);
}
