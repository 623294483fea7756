import type { PlannerDescription } from "#kit/planners/planner-description.ts";
import type { AgentInfo, AppInfo, ToolInfo } from "#ports/runs/runner-service.ts";
import { type DotAttributes, DotWriter } from "./dot.ts";

/** An agent in the developer UI's own form: snake case, and one type for all agents. */
export interface WireAgent {
  readonly name: string;
  readonly type: "agent";
  readonly description?: string;
  readonly model?: string;
  readonly instruction?: string;
  readonly output_key?: string;
  readonly planner?: PlannerDescription;
  readonly tools: readonly WireTool[];
  readonly sub_agents: readonly WireAgent[];
}

interface WireTool {
  readonly name: string;
  readonly type: "tool";
  readonly description?: string;
}

export interface WireApp {
  readonly name: string;
  readonly root_agent: WireAgent;
  readonly plugins: readonly { readonly name: string }[];
  readonly readme?: string;
}

export function toWireApp({ name, rootAgent, plugins, readme }: AppInfo): WireApp {
  return {
    name,
    root_agent: toWireAgent(rootAgent),
    plugins: plugins.map((plugin) => ({ name: plugin })),
    readme,
  };
}

function toWireAgent(agent: AgentInfo): WireAgent {
  const { name, description, model, instruction, outputKey, planner, tools, subAgents } = agent;
  return {
    name,
    type: "agent",
    description: description !== "" ? description : undefined,
    model,
    instruction,
    output_key: outputKey,
    planner,
    tools: tools.map(toWireTool),
    sub_agents: subAgents.map(toWireAgent),
  };
}

function toWireTool({ name, description }: ToolInfo): WireTool {
  return { name, type: "tool", description: description !== "" ? description : undefined };
}

/** The agent that a path of names leads to, with or without the root's own name in front. */
export function findAgent(root: AgentInfo, path: string): AgentInfo | undefined {
  const names = path.split("/").filter((name) => name !== "");
  if (names[0] === root.name) names.shift();
  let agent: AgentInfo | undefined = root;
  for (const name of names) agent = agent?.subAgents.find((child) => child.name === name);
  return agent;
}

interface Palette {
  readonly background: string;
  readonly fill: string;
  readonly border: string;
  readonly text: string;
  readonly edge: string;
}

const DARK: Palette = { background: "#1B1B1F", fill: "#2B2C31", border: "#5C5E66", text: "#E6E6EA", edge: "#9A9CA5" };
const LIGHT: Palette = { background: "#FFFFFF", fill: "#F4F5F7", border: "#B6BAC3", text: "#1D2024", edge: "#6E737C" };

/** The symbols that the UI's own legend explains. */
const AGENT = "✦";
const WORKFLOW = "⊷";
const TOOL = "🔧";

/** The tree of agents with their tools, for the UI's structure view. The UI finds nodes by the agents' names. */
export function drawStructure(root: AgentInfo, darkMode: boolean): string {
  const palette = darkMode ? DARK : LIGHT;
  const { background, fill, border, text, edge } = palette;
  const dot = new DotWriter(root.name, {
    bgcolor: background,
    pad: 0.4,
    nodesep: 0.4,
    ranksep: 0.7,
    fontname: "Helvetica",
  });
  dot.set("node", {
    shape: "rect",
    style: "rounded,filled",
    fillcolor: fill,
    color: border,
    fontcolor: text,
    fontname: "Helvetica",
    fontsize: 12,
    margin: "0.22,0.14",
  });
  dot.set("edge", { color: edge, fontcolor: edge, fontname: "Helvetica", fontsize: 10, arrowsize: 0.7 });
  drawTree(dot, root, new Set());
  return dot.toString();
}

function drawTree(dot: DotWriter, agent: AgentInfo, drawnTools: Set<string>): void {
  dot.node(agent.name, { label: agentLabel(agent), tooltip: agent.description || agent.type });
  for (const tool of agent.tools) {
    if (!drawnTools.has(tool.name)) {
      drawnTools.add(tool.name);
      dot.node(tool.name, {
        label: `${TOOL} ${tool.name}`,
        tooltip: tool.description || "tool",
        style: "rounded,filled,dashed",
      });
    }
    // To reverse an arrow, the UI looks for the plain form of an edge and then draws the light picture in both themes.
    dot.edge(agent.name, [tool.name], { style: "dashed" });
  }
  const links = agent.planner?.links ?? [];
  const following = new Set(links.map(({ to }) => to));
  const isRound = agent.subAgents.every(({ name }) => following.has(name));
  for (const [index, child] of agent.subAgents.entries()) {
    drawTree(dot, child, drawnTools);
    // Agents that run after others stand below those, and not below the planner's agent.
    if (isRound || !following.has(child.name)) dot.edge(agent.name, child.name, order(agent, index));
  }
  for (const { from, to, key } of links) dot.edge(from, to, key === undefined ? {} : { label: key });
}

function agentLabel({ name, planner, type }: AgentInfo): string {
  return isWorkflow(type) ? `${WORKFLOW} ${name} (${planner?.name ?? type})` : `${AGENT} ${name}`;
}

function isWorkflow(type: AgentInfo["type"]): boolean {
  return type === "sequential" || type === "parallel" || type === "loop" || type === "planner";
}

/** Children that run in sequence show their position. */
function order({ type, subAgents }: AgentInfo, index: number): DotAttributes {
  return (type === "sequential" || type === "loop") && subAgents.length > 1 ? { label: index + 1 } : {};
}
