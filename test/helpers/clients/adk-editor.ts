import { parse, stringify } from "yaml";

interface Node {
  name: string;
  isRoot?: boolean;
  agent_class?: string;
  model?: string;
  description?: string;
  instruction?: string;
  max_iterations?: number;
  sub_agents?: Node[];
  tools?: Tool[];
}

interface Tool {
  name: string;
  toolType?: string;
  toolAgentName?: string;
  args?: Readonly<Record<string, unknown>>;
}

type Read = (file: string) => Promise<string | undefined>;

/**
 * The steps of the editor of ADK's web UI, from opening an app to the files that its save button uploads: the same
 * defaults, the same fields, and the same omissions.
 */
export async function openInAdkEditor(read: Read): Promise<AdkEditor> {
  const root = parse((await read("root_agent.yaml")) ?? "") as Node;
  const boards = new Map<string, Node>();
  const node: Node = { ...withDefaults(root), isRoot: true, tools: toolsOf(root.tools) };
  await loadBoards(node.tools, boards, read);
  await loadSubAgents(node, boards, read);
  return new AdkEditor(node, boards);
}

export class AdkEditor {
  readonly root: Node;
  readonly #boards: ReadonlyMap<string, Node>;

  constructor(root: Node, boards: ReadonlyMap<string, Node>) {
    this.root = root;
    this.#boards = boards;
  }

  uploads(): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    this.#generate(this.root, files);
    return files;
  }

  #generate(agent: Node, files: Map<string, string>): void {
    const file: Record<string, unknown> = {
      name: agent.name,
      model: agent.model,
      agent_class: agent.agent_class,
      description: agent.description || "",
      instruction: agent.instruction,
      sub_agents: (agent.sub_agents ?? []).map(({ name }) => ({ config_path: `./${name}.yaml` })),
      tools: (agent.tools ?? []).map(writtenTool),
    };
    if ((agent.description ?? "").trim() === "") delete file["description"];
    if (agent.agent_class !== "LlmAgent") for (const key of ["model", "instruction", "tools"]) delete file[key];
    if (agent.agent_class === "LoopAgent" && agent.max_iterations) file["max_iterations"] = agent.max_iterations;
    files.set(agent.isRoot === true ? "root_agent.yaml" : `${agent.name}.yaml`, stringify(file));
    for (const child of agent.sub_agents ?? []) this.#generate(child, files);
    for (const { toolType, toolAgentName = "" } of agent.tools ?? []) {
      const board = toolType === "Agent Tool" ? this.#boards.get(toolAgentName) : undefined;
      if (board !== undefined) this.#generate(board, files);
    }
  }
}

function withDefaults(given: Node): Node {
  return {
    ...given,
    agent_class: given.agent_class || "LlmAgent",
    model: given.model || "gemini-2.5-flash",
    instruction: given.instruction || "",
  };
}

async function loadSubAgents(parent: Node, boards: Map<string, Node>, read: Read): Promise<void> {
  const refs = (parent.sub_agents ?? []) as unknown as readonly { config_path?: string }[];
  const children: Node[] = [];
  for (const ref of refs) {
    const text = ref.config_path === undefined ? undefined : await read(ref.config_path).catch(() => undefined);
    const child = (text === undefined ? ref : parse(text)) as Node;
    if (child.tools !== undefined) child.tools = toolsOf(child.tools);
    await loadBoards(child.tools, boards, read);
    if (child.sub_agents !== undefined) await loadSubAgents(child, boards, read);
    children.push(child);
  }
  parent.sub_agents = children;
}

async function loadBoards(tools: readonly Tool[] = [], boards: Map<string, Node>, read: Read): Promise<void> {
  for (const { toolType, name } of tools) {
    if (toolType !== "Agent Tool" || boards.has(name)) continue;
    const text = await read(`${name}.yaml`);
    const given = text === undefined ? { name, instruction: `You are the ${name} agent.` } : (parse(text) as Node);
    const board = { ...withDefaults(given), tools: toolsOf(given.tools) };
    boards.set(name, board);
    await loadBoards(board.tools, boards, read);
  }
}

function toolsOf(tools: readonly Tool[] = []): Tool[] {
  return tools.map((tool) => {
    const agent =
      tool.name === "AgentTool" ? (tool.args?.["agent"] as { config_path?: string } | undefined) : undefined;
    if (agent?.config_path === undefined)
      return { ...tool, toolAgentName: tool.name, toolType: agent ? "Agent Tool" : "" };
    const name = agent.config_path.replace("./", "").replace(".yaml", "");
    return { ...tool, name, toolType: "Agent Tool", toolAgentName: name };
  });
}

function writtenTool(tool: Tool): object {
  if (tool.toolType !== "Agent Tool") return { name: tool.name, ...(tool.args !== undefined && { args: tool.args }) };
  const args = { agent: { config_path: `./${tool.toolAgentName}.yaml` }, skip_summarization: false };
  return { name: "AgentTool", args };
}
