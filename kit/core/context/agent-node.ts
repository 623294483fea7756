/** Kinds of agents, for listings and drawings. */
export type AgentKind = "llm" | "sequential" | "parallel" | "loop" | "planner" | "remote" | "agent";

/** An agent as a node of a tree: what contexts, histories and listings read, without the methods that run it. */
export interface AgentNode {
  readonly kind: AgentKind;
  readonly name: string;
  readonly description: string;
  /** Whether an escalation below this agent ends this agent's work, and no work around it. */
  readonly catchesEscalation: boolean;
  readonly parentAgent: AgentNode | undefined;
  readonly rootAgent: AgentNode;
  readonly subAgents: readonly AgentNode[];
  /** This agent or one below it. */
  findAgent(name: string): AgentNode | undefined;
  /** An agent below this one. */
  findSubAgent(name: string): AgentNode | undefined;
}
