import type { Plugin } from "#kit/core/plugin.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { AgentDetails, AppDetails } from "../eval-set.ts";

/** Records which agents a run had, with their instructions and tools, for the prompts of judges. */
export class AgentRecorder implements Plugin {
  readonly name = "evaluation_agent_recorder";
  readonly #runs = new Map<string, Map<string, AgentDetails>>();

  readonly beforeModelCallback: NonNullable<Plugin["beforeModelCallback"]> = (context, request) => {
    const agents = this.#runs.get(context.invocationId) ?? new Map<string, AgentDetails>();
    this.#runs.set(context.invocationId, agents);
    if (agents.has(context.agentName)) return undefined;
    // Declarations are JSON; their interface merely lacks an index signature.
    const declarations = request.functionDeclarations.map((declaration) => ({ ...declaration }) as JsonObject);
    agents.set(context.agentName, {
      name: context.agentName,
      instructions: request.systemInstruction,
      toolDeclarations: declarations.length === 0 ? [] : [{ functionDeclarations: declarations }],
    });
    return undefined;
  };

  /** Returns the agents of a run, and forgets them. */
  take(invocationId: string | undefined): AppDetails {
    const agents = this.#runs.get(invocationId ?? "") ?? new Map<string, AgentDetails>();
    this.#runs.delete(invocationId ?? "");
    return { agentDetails: Object.fromEntries(agents) };
  }
}
