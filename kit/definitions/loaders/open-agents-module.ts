import { basename } from "node:path";
import { agentRevisionOf, sourcesOfModule } from "#kit/definitions/revisions/agent-revision.ts";
import { DefinitionException } from "#kit/definitions/yaml/definition-problem.ts";
import type { AgentLoader } from "./agent-loader.ts";
import { type GivenAgentLoader, isAgentOrApp, toAgentLoader } from "./given-agent-loader.ts";
import { importModule } from "./import-module.ts";
import { resolveKitImports } from "./kit-resolution.ts";
import { StaticAgentLoader } from "./static-agent-loader.ts";

/**
 * The loader of a module: its export `agentLoader`, or a static loader of its export `agents` (agents or apps).
 * The apps have the agent revision of the module, unless its loader gives them another. Throws `CONFIGURATION` if the
 * module cannot be imported or exports neither, and `DUPLICATE_NAME`.
 */
export async function openAgentsModule(file: string, revisionSalt?: string): Promise<AgentLoader> {
  const endResolution = resolveKitImports();
  try {
    const exported = await importModule(file, basename(file));
    const loader = loaderOf(exported.get("agentLoader"), exported.get("agents"), basename(file));
    const agentRevision = agentRevisionOf({ sources: sourcesOfModule(file) ?? [], salt: revisionSalt });
    return {
      listAgents: () => loader.listAgents(),
      loadAgent: async (name) => ({ agentRevision, ...(await loader.loadAgent(name)) }),
      close: async () => {
        await loader.close();
        endResolution();
      },
    };
  } catch (error) {
    endResolution();
    throw error;
  }
}

function loaderOf(agentLoader: unknown, agents: unknown, file: string): AgentLoader {
  if (isLoader(agentLoader)) return toAgentLoader(agentLoader);
  if (agentLoader !== undefined) throw broken(file, 'exports "agentLoader", which lacks listAgents or loadAgent.');
  if (!Array.isArray(agents)) throw broken(file, 'exports no agents: export a list "agents", or an "agentLoader".');
  const index = agents.findIndex((agent) => !isAgentOrApp(agent));
  if (index >= 0) throw broken(file, `exports "agents", whose [${index}] is neither an agent nor an app of this kit.`);
  return new StaticAgentLoader(agents.filter(isAgentOrApp));
}

function isLoader(value: unknown): value is GivenAgentLoader {
  const { listAgents, loadAgent } = Object(value);
  return [listAgents, loadAgent].every((member) => typeof member === "function");
}

function broken(file: string, message: string): DefinitionException {
  return new DefinitionException([{ file, message }]);
}
