import type { Plugin } from "#kit/core/plugin.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { AgentDetails, AppDetails } from "../eval-set.ts";

/** Records which agents a run had, with their instructions and tools, for the prompts of judges. */
export class AgentRecorder implements Plugin {
  readonly name = "evaluation_agent_recorder";
  readonly #sessions = new Map<string, Map<string, AgentDetails>>();

  readonly beforeModelCallback: NonNullable<Plugin["beforeModelCallback"]> = (context, request) => {
    const sessionId = context.invocationContext.session.id;
    const agents = this.#sessions.get(sessionId) ?? new Map<string, AgentDetails>();
    this.#sessions.set(sessionId, agents);
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

  /** The agents of the session's run. */
  agentsOf(sessionId: string): AppDetails {
    return { agentDetails: Object.fromEntries(this.#sessions.get(sessionId) ?? []) };
  }

  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }
}
