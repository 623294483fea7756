import { PlatformError } from "#kit/errors/platform-error.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { assertAgentsFolder } from "#shared/agents/agents-settings.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import type { GatewayConfig } from "./config.ts";
import type { AgentFiles } from "./deps.ts";

export interface EditorConfig extends Pick<GatewayConfig, "AGENT_EDITOR" | "EDITOR_MODEL" | "HOST"> {
  readonly AGENTS_DIR: string;
}

/**
 * The editor of definitions, if the settings allow it. A client that saves an agent decides what runs with the keys of
 * the process, and requests are not authenticated, so this throws `CONFIGURATION` for an address that other machines
 * reach.
 */
export function openEditor({ AGENT_EDITOR, EDITOR_MODEL, HOST, AGENTS_DIR }: EditorConfig): AgentFiles | undefined {
  if (!AGENT_EDITOR) return undefined;
  if (!isLoopback(HOST)) {
    throw new PlatformError(
      "CONFIGURATION",
      `AGENT_EDITOR is on and HOST is ${HOST}, where other machines could change the agents. Set AGENT_EDITOR=false, or HOST=127.0.0.1.`,
    );
  }
  assertAgentsFolder(AGENTS_DIR);
  // Imported on first use: with the parser of definitions it is more than twenty modules, which most servers never use.
  const files = lazy(async () => {
    const { openAgentFiles } = await import("#shared/agents/editor/open-agent-files.ts");
    return openAgentFiles(AGENTS_DIR, EDITOR_MODEL);
  });
  return {
    read: async (appName, options) => (await files()).read(appName, options),
    save: async (appName, changed, options) => (await files()).save(appName, changed, options),
    cancel: async (appName) => (await files()).cancel(appName),
  };
}
