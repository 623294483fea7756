import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type AgentsConfig, agentsModuleOf, assertAgentsFolder, sourceDirOf } from "./agents-settings.ts";

/** The agents and the loader that the settings name. Throws `CONFIGURATION` if their folder or file is missing. */
export async function openAgentLoader(config: AgentsConfig, logger: Logger): Promise<AgentLoader> {
  const { AGENTS_DIR: directory, HOT_RELOAD: hotReload } = config;
  switch (config.AGENTS_LOADER) {
    case "directory": {
      assertAgentsFolder(directory);
      const { DirectoryAgentLoader } = await import("#kit/definitions/loaders/directory-agent-loader.ts");
      return new DirectoryAgentLoader({ directory, hotReload, logger });
    }
    case "config": {
      assertAgentsFolder(directory);
      const { ConfigAgentLoader } = await import("#kit/definitions/loaders/config-agent-loader.ts");
      return new ConfigAgentLoader(directory, hotReload, { logger });
    }
    case "compiled": {
      const sourceDir = sourceDirOf(config);
      assertAgentsFolder(sourceDir, "--source-dir (SOURCE_DIR)");
      const { CompiledAgentLoader } = await import("#kit/definitions/loaders/compiled-agent-loader.ts");
      return new CompiledAgentLoader({ sourceDir, buildOutputDirs: config.BUILD_OUTPUT_DIRS }, logger);
    }
    case "static": {
      const file = agentsModuleOf(config);
      const { openAgentsModule } = await import("#kit/definitions/loaders/open-agents-module.ts");
      return openAgentsModule(file);
    }
    default:
      return config.AGENTS_LOADER satisfies never;
  }
}
