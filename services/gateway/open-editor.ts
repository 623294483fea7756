import { PlatformError } from "#kit/errors/platform-error.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import type { GatewayConfig } from "./config.ts";
import type { AgentFiles } from "./deps.ts";

export interface EditorConfig extends Pick<GatewayConfig, "AGENT_EDITOR" | "HOST"> {
  readonly AGENTS_DIR: string;
}

/**
 * The editor of definitions, if the settings allow it. A client that saves an agent decides what runs with the keys of
 * the process, and requests are not authenticated, so this throws `CONFIGURATION` for an address that other machines
 * reach.
 */
export async function openEditor({ AGENT_EDITOR, HOST, AGENTS_DIR }: EditorConfig): Promise<AgentFiles | undefined> {
  if (!AGENT_EDITOR) return undefined;
  if (!isLoopback(HOST)) {
    throw new PlatformError(
      "CONFIGURATION",
      `AGENT_EDITOR is on and HOST is ${HOST}, where other machines could change the agents. Set AGENT_EDITOR=false, or HOST=127.0.0.1.`,
    );
  }
  // The parser of definitions is loaded only where it is used.
  const { openAgentFiles } = await import("#shared/agents/open-agent-files.ts");
  return openAgentFiles(AGENTS_DIR);
}
