import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { DRAFT_FOLDER } from "#ports/editor/definition-path.ts";
import { type AgentsConfig, agentsModuleOf, assertAgentsFolder, sourceDirOf } from "./agents-settings.ts";
import { BUILDER_ASSISTANT, type EditorSettings } from "./editor/editor-settings.ts";

/**
 * The agents and the loader that the settings name. With the editor on, apps that it has not saved yet are among them,
 * and so is its assistant. With an index, the apps that it lists are served from there. Throws `CONFIGURATION` if their
 * folder or file is missing.
 */
export async function openAgentLoader(
  config: AgentsConfig & Partial<EditorSettings>,
  logger: Logger,
): Promise<AgentLoader> {
  const others = await openOwnLoader(config, logger);
  const { AGENTS_INDEX: file, AGENT_REVISION_SALT: revisionSalt } = config;
  if (file === "") return others;
  const [{ IndexedAgentLoader }, { DirectoryAgentLoader }] = await Promise.all([
    import("./index/indexed-agent-loader.ts"),
    import("#kit/definitions/loaders/directory-agent-loader.ts"),
  ]);
  // Watched, so that files which are broken or not complete yet are tried again when they change.
  const open = (appName: string, directory: string) =>
    new DirectoryAgentLoader({ appName, directory, logger, revisionSalt });
  return IndexedAgentLoader.open({ file, others, open, logger });
}

async function openOwnLoader(config: AgentsConfig & Partial<EditorSettings>, logger: Logger): Promise<AgentLoader> {
  const { AGENTS_DIR: directory, HOT_RELOAD: hotReload, AGENT_REVISION_SALT: revisionSalt } = config;
  switch (config.AGENTS_LOADER) {
    case "directory": {
      assertAgentsFolder(directory);
      const { DirectoryAgentLoader } = await import("#kit/definitions/loaders/directory-agent-loader.ts");
      const options = { directory, hotReload, logger, revisionSalt };
      return edited(config, (draftFolder) => new DirectoryAgentLoader({ ...options, draftFolder }));
    }
    case "config": {
      assertAgentsFolder(directory);
      const { ConfigAgentLoader } = await import("#kit/definitions/loaders/config-agent-loader.ts");
      const options = { logger, revisionSalt };
      return edited(config, (draftFolder) => new ConfigAgentLoader(directory, hotReload, { ...options, draftFolder }));
    }
    case "compiled": {
      const sourceDir = sourceDirOf(config);
      assertAgentsFolder(sourceDir, "--source-dir (SOURCE_DIR)");
      const { CompiledAgentLoader } = await import("#kit/definitions/loaders/compiled-agent-loader.ts");
      return new CompiledAgentLoader({ sourceDir, buildOutputDirs: config.BUILD_OUTPUT_DIRS, revisionSalt }, logger);
    }
    case "static": {
      const file = agentsModuleOf(config);
      const { openAgentsModule } = await import("#kit/definitions/loaders/open-agents-module.ts");
      return openAgentsModule(file, revisionSalt);
    }
    default:
      return config.AGENTS_LOADER satisfies never;
  }
}

/** The loader of a folder, for the editor if it is on. */
async function edited(
  { AGENT_EDITOR = false, EDITOR_MODEL = "", AGENTS_DIR }: Pick<AgentsConfig, "AGENTS_DIR"> & Partial<EditorSettings>,
  open: (draftFolder: string | undefined) => AgentLoader,
): Promise<AgentLoader> {
  if (!AGENT_EDITOR) return open(undefined);
  const loader = open(DRAFT_FOLDER);
  // Loaded when somebody opens the editor, like the editor itself.
  const assistant = lazy(async () => {
    const [{ openAgentFiles }, { createBuilderAssistant }] = await Promise.all([
      import("./editor/open-agent-files.ts"),
      import("./editor/builder-assistant.ts"),
    ]);
    return createBuilderAssistant(openAgentFiles(AGENTS_DIR, EDITOR_MODEL), EDITOR_MODEL);
  });
  return {
    listAgents: () => loader.listAgents(),
    loadAgent: (name) => (name === BUILDER_ASSISTANT ? assistant() : loader.loadAgent(name)),
    findRevision: async (name, agentRevision) => loader.findRevision?.(name, agentRevision),
    // The assistant is never replaced.
    keeps: (app) => app.name === BUILDER_ASSISTANT || loader.keeps?.(app) === true,
    refresh: async () => loader.refresh?.(),
    close: () => loader.close(),
  };
}
