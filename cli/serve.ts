import { Version } from "#kit/version.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { runStandalone } from "#services/standalone/run-standalone.ts";

const FULL_ERRORS =
  "Errors show the texts of exceptions (ERROR_DETAIL=full), to clients on this machine only. Use generic for anything else.";

/** Serves until a signal ends the process. */
export async function serve(config: StandaloneConfig): Promise<void> {
  const { url, errorDetail } = await runStandalone(config);
  const address = config.DEV_UI ? `${url}${config.PATH_PREFIX}/dev-ui` : url;
  console.log(`Agentplane ${Version.AGENTPLANE_VERSION} is ready: ${address}`);
  if (errorDetail === "full") console.log(FULL_ERRORS);
}
