import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import type { AgentInfo, ToolInfo } from "#ports/runs/runner-service.ts";
import { type DotAttributes, DotWriter } from "./dot.ts";

/** Two names of an app's graph that an event links: a caller and its callee, or an answering node and its caller. */
export type HighlightPair = readonly [from: string, to: string];

export interface AgentGraphOptions {
  readonly highlights?: readonly HighlightPair[];
  readonly light?: boolean;
}

/** The links of an event: of its calls, otherwise of its answers, otherwise only its author. */
export function highlightPairs(event: Pick<Event, "author" | "content">): readonly HighlightPair[] {
  const { author } = event;
  const calls = functionCalls(event);
  if (calls.length > 0) return calls.map(({ name = "" }) => [author, name]);
  const responses = functionResponses(event);
  if (responses.length > 0) return responses.map(({ name = "" }) => [name, author]);
  return [[author, ""]];
}

const HIGHLIGHT_FILL = "#0F5223";
const HIGHLIGHT_EDGE = "#69CB87";

interface Palette {
  readonly background: string;
  readonly line: string;
}

const DARK: Palette = { background: "#333537", line: "#CCCCCC" };
const LIGHT: Palette = { background: "#FFFFFF", line: "#5F6368" };

/** The agents and tools of an app as a Graphviz drawing; node names are the agents' and tools' own. */
export function drawAgentGraph(root: AgentInfo, { highlights = [], light = false }: AgentGraphOptions = {}): string {
  const palette = light ? LIGHT : DARK;
  const dot = new DotWriter("agents", { rankdir: "LR", bgcolor: palette.background });
  new AgentGraph(dot, palette, highlights).draw(root);
  return dot.toString();
}

class AgentGraph {
  readonly #dot: DotWriter;
  readonly #palette: Palette;
  readonly #highlights: readonly HighlightPair[];
  readonly #highlighted: ReadonlySet<string>;
  /** Each name is one node: agents may share a tool, and a tool may have an agent's name. */
  readonly #drawn = new Set<string>();

  constructor(dot: DotWriter, palette: Palette, highlights: readonly HighlightPair[]) {
    this.#dot = dot;
    this.#palette = palette;
    this.#highlights = highlights;
    this.#highlighted = new Set(highlights.flat());
  }

  draw(agent: AgentInfo): void {
    if (isGroup(agent)) {
      this.#drawGroup(agent);
      return;
    }
    this.#node(agent.name, `🤖 ${agent.name}`, "ellipse");
    for (const tool of agent.tools) {
      this.#node(tool.name, ...toolLook(tool));
      this.#edge(agent.name, tool.name);
    }
    for (const child of agent.subAgents) {
      this.draw(child);
      for (const entry of entries(child)) this.#edge(agent.name, entry);
    }
  }

  /** Workflow agents produce no text: they are boxes around their children, with arrows in the order of execution. */
  #drawGroup(agent: AgentInfo): void {
    const { name, planner, subAgents, type } = agent;
    const label = `${name} (${planner?.name ?? GROUP_TITLES[type] ?? type})`;
    const color = this.#highlighted.has(name) ? HIGHLIGHT_EDGE : this.#palette.line;
    this.#dot.cluster(`cluster_${label}`, { label, style: "rounded", color, fontcolor: this.#palette.line }, () => {
      for (const child of subAgents) this.draw(child);
      for (const { from, to, key } of workOrder(agent)) {
        const label: DotAttributes = key === undefined ? {} : { label: key, fontcolor: this.#palette.line };
        this.#edge(from, to, { arrowhead: "normal", ...label });
      }
    });
  }

  #node(name: string, label: string, shape: string): void {
    if (this.#drawn.has(name)) return;
    this.#drawn.add(name);
    const { line } = this.#palette;
    const look: DotAttributes = this.#highlighted.has(name)
      ? { style: "filled,rounded", fillcolor: HIGHLIGHT_FILL, color: HIGHLIGHT_FILL, fontcolor: DARK.line }
      : { style: "rounded", color: line, fontcolor: line };
    this.#dot.node(name, { label, shape, ...look });
  }

  #edge(from: string, to: string, plain: DotAttributes = { arrowhead: "none" }): void {
    const isLinked = ([a, b]: HighlightPair): boolean => a === from && b === to;
    if (this.#highlights.some(isLinked)) this.#dot.edge(from, to, { color: HIGHLIGHT_EDGE });
    else if (this.#highlights.some(([a, b]) => isLinked([b, a])))
      this.#dot.edge(from, to, { color: HIGHLIGHT_EDGE, dir: "back" });
    else this.#dot.edge(from, to, { color: this.#palette.line, ...plain });
  }
}

const GROUP_TITLES: Readonly<Record<string, string>> = {
  sequential: "Sequential Agent",
  parallel: "Parallel Agent",
  loop: "Loop Agent",
  planner: "Planner Agent",
};

function isGroup({ type, subAgents }: AgentInfo): boolean {
  return Object.hasOwn(GROUP_TITLES, type) && subAgents.length > 0;
}

function toolLook({ name, type }: ToolInfo): [label: string, shape: string] {
  if (type === "agent") return [`🤖 ${name}`, "ellipse"];
  return type === "retrieval" ? [`🔎 ${name}`, "cylinder"] : [`🔧 ${name}`, "box"];
}

/** The entry nodes of a group; of any other agent, its own node. */
function entries(agent: AgentInfo): readonly string[] {
  if (!isGroup(agent)) return [agent.name];
  const { planner, subAgents, type } = agent;
  if (planner !== undefined) return endsOf(agent, new Set(planner.links.map(({ to }) => to))).flatMap(entries);
  return (type === "parallel" ? subAgents : subAgents.slice(0, 1)).flatMap(entries);
}

function exits(agent: AgentInfo): readonly string[] {
  if (!isGroup(agent)) return [agent.name];
  const { planner, subAgents, type } = agent;
  if (planner !== undefined) return endsOf(agent, new Set(planner.links.map(({ from }) => from))).flatMap(exits);
  return (type === "parallel" ? subAgents : subAgents.slice(-1)).flatMap(exits);
}

/** The sub-agents of a planner agent outside `inside`; all of them if the links are a circle. */
function endsOf({ subAgents }: AgentInfo, inside: ReadonlySet<string>): readonly AgentInfo[] {
  const ends = subAgents.filter(({ name }) => !inside.has(name));
  return ends.length === 0 ? subAgents : ends;
}

/** An arrow between two nodes, with the state key that it stands for. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly key?: string | undefined;
}

function workOrder({ planner, subAgents, type }: AgentInfo): readonly Step[] {
  if (planner !== undefined) {
    const agents = new Map(subAgents.map((agent) => [agent.name, agent]));
    return planner.links.flatMap(({ from, to, key }) => stepsBetween(agents.get(from), agents.get(to), key));
  }
  if (type === "parallel") return [];
  const next = type === "loop" ? [...subAgents.slice(1), ...subAgents.slice(0, 1)] : subAgents.slice(1);
  return next.flatMap((to, index) => stepsBetween(subAgents[index], to));
}

function stepsBetween(from: AgentInfo | undefined, to: AgentInfo | undefined, key?: string): readonly Step[] {
  if (from === undefined || to === undefined) return [];
  return exits(from).flatMap((exit) => entries(to).map((entry) => ({ from: exit, to: entry, key })));
}
