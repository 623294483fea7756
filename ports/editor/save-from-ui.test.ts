import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { openInAdkEditor } from "#test/helpers/clients/adk-editor.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { DirectoryAgentFiles } from "./directory-agent-files.ts";

type Files = Readonly<Record<string, string>>;

/** The app `shop` with these files, its editor, and its current files. */
function open(files: Files) {
  const folder = agentsFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text])));
  return {
    path: folder.path,
    editor: new DirectoryAgentFiles(folder.path),
    now: () => filesOf(join(folder.path, "shop")),
  };
}

function filesOf(path: string): Files {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const named = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(named.sort().map((file) => [file.slice(path.length + 1), readFileSync(file, "utf8")]));
}

/** Opens the app in the UI's editor and saves it like its save button: first as a draft, then permanently. */
async function save(
  editor: DirectoryAgentFiles,
  change: (root: Awaited<ReturnType<typeof openInAdkEditor>>["root"]) => void = () => undefined,
): Promise<void> {
  const opened = await openInAdkEditor((filePath) => editor.read("shop", { filePath, temporary: true }));
  change(opened.root);
  await editor.save("shop", opened.uploads(), { temporary: true });
  await editor.save("shop", opened.uploads(), { temporary: false });
}

const HEADING = `# The front desk.
agentClass: LlmAgent # the default class
name: desk
model: demo/chat
instruction: |
`;

const FIELDS = `outputKey: last
generateContentConfig: { temperature: 0.5, httpOptions: { timeout: 9000 } }
subAgents:
  - configPath: parts/flights.yaml # by plane
  - code: maker
tools:
  - name: VertexAiSearchTool # ours
    args: { dataStoreId: projects/p/stores/s }
  - name: AgentTool
    args: { agent: { configPath: translate.yml }, includePlugins: true }
  - name: AgentTool
    args: { agent: { code: maker } }
`;

/** Has the fields, comments and layouts that the UI's editor does not support. */
const RICH: Files = {
  "root_agent.yaml": `${HEADING}  Answer {user:name?}.

  Be brief.
${FIELDS}beforeModelCallbacks:
  - name: check
`,
  "parts/flights.yaml": `name: flight_desk
description: Finds flights.
instruction: Find flights.
outputKey: flight
subAgents: [{ configPath: ../seats.yaml }]
afterModelCallbacks: [{ name: check }]
`,
  "seats.yaml": "name: seats\nagentClass: LoopAgent\nmaxIterations: 0\nsubAgents:\n  - configPath: row.yaml\n",
  "row.yaml": "name: row\ninstruction: Ask for a row.\n",
  "translate.yml": "# no model of its own\nname: translator\ninstruction: Translate.\nmaxSteps: 3\n",
  "app.yaml": "concurrencyPolicy: reject\n",
  "tmp/notes.yaml": "mine: true\n",
};

describe("an app saved in the editor of ADK's UI", () => {
  it("is identical to the byte if nothing was changed", async () => {
    const { editor, now } = open(RICH);
    await save(editor);
    expect(now()).toEqual(RICH);
  });

  it.each(["research_desk_yaml", "research_team_yaml", "travel_desk_yaml"])(
    "keeps the sample %s unchanged",
    async (sample) => {
      const folder = agentsFolder({});
      cpSync(join("agents", sample), join(folder.path, "shop"), { recursive: true });
      const before = filesOf(join(folder.path, "shop"));
      await save(new DirectoryAgentFiles(folder.path));
      expect(filesOf(join(folder.path, "shop"))).toEqual(before);
    },
  );

  it("has the changes of the editor, and keeps everything else with its comments", async () => {
    const { editor, now } = open(RICH);
    await save(editor, (root) => {
      root.instruction = "Answer in Latin.\n";
      root.description = "Speaks Latin.";
      const [flights] = root.sub_agents ?? [];
      if (flights !== undefined) flights.description = "";
      root.tools?.push({ name: "google_search", toolType: "Built-in tool" });
    });
    expect(now()).toEqual({
      ...RICH,
      "root_agent.yaml": `${HEADING}  Answer in Latin.
${FIELDS}  - name: google_search
beforeModelCallbacks:
  - name: check
description: Speaks Latin.
`,
      "parts/flights.yaml": `name: flight_desk
instruction: Find flights.
outputKey: flight
subAgents: [ { configPath: ../seats.yaml } ]
afterModelCallbacks: [ { name: check } ]
`,
    });
  });

  it("keeps the names in a response schema, and drops the arguments that a tool has lost", async () => {
    const before = `name: desk
model: demo/chat
instruction: Help.
generateContentConfig:
  responseSchema: { type: object, properties: { firstName: { type: string } } }
  temperature: 0.5
tools:
  - name: VertexAiSearchTool
    args: { dataStoreId: projects/p/stores/s }
`;
    const { editor, now } = open({ "root_agent.yaml": before });
    await save(editor, (root) => {
      for (const tool of root.tools ?? []) Object.assign(tool, { args: undefined });
    });
    const withoutArguments = before.replace(/ +args.*\n/, "");
    expect(now()["root_agent.yaml"]).toBe(withoutArguments);
    // Another client of the editor's routes may send settings of the model.
    const given = withoutArguments
      .replace("generateContentConfig", "generate_content_config")
      .replace("responseSchema", "response_schema")
      .replace("0.5", "0.7");
    await editor.save("shop", new Map([["root_agent.yaml", given]]), { temporary: false });
    expect(now()["root_agent.yaml"]).toContain("firstName");
    expect(now()["root_agent.yaml"]).toContain("0.7");
  });

  it("has a new agent in a file of its own, and keeps the file of an agent that was removed from its tree", async () => {
    const { editor, path, now } = open({
      "root_agent.yaml": "name: desk\nagent_class: SequentialAgent\nsub_agents:\n  - config_path: one.yaml\n",
      "one.yaml": "name: first\nmodel: demo/chat\ninstruction: One.\n",
    });
    const agent = { agent_class: "LlmAgent", model: "demo/chat", instruction: "New." };
    await save(editor, (root) => {
      // With this name the new agent would overwrite the file of the agent "first".
      root.sub_agents = [...(root.sub_agents ?? []), { name: "one", ...agent }];
    });
    expect(now()["root_agent.yaml"]).toBe(
      "name: desk\nagent_class: SequentialAgent\nsub_agents:\n  - config_path: one.yaml\n  - config_path: one_2.yaml\n",
    );
    const { app } = await new ConfigAgentLoader(path, false).loadAgent("shop");
    expect(app.rootAgent.subAgents.map(({ name }) => name)).toEqual(["first", "one"]);
    await save(editor, (root) => {
      root.sub_agents = root.sub_agents?.filter(({ name }) => name !== "first") ?? [];
    });
    expect(Object.keys(now())).toEqual(["one.yaml", "one_2.yaml", "root_agent.yaml"]);
    expect(now()["root_agent.yaml"]).not.toContain("config_path: one.yaml");
  });

  it("drops fields that its new class does not have", async () => {
    const { editor, now } = open({
      "root_agent.yaml": "name: desk # kept\nmodel: demo/chat\ninstruction: x\noutputKey: last\ndescription: Desk.\n",
    });
    await save(editor, (root) => {
      root.agent_class = "SequentialAgent";
    });
    expect(now()["root_agent.yaml"]).toBe("name: desk # kept\ndescription: Desk.\nagent_class: SequentialAgent\n");
  });

  it("is refused as a whole if a reference has no target or a field is missing", async () => {
    const { editor, now } = open(RICH);
    const save = (text: string) => editor.save("shop", new Map([["root_agent.yaml", text]]), { temporary: false });
    await expect(save("name: desk\ninstruction: x\nsub_agents: [{config_path: ./undefined.yaml}]")).rejects.toThrow(
      'root_agent.yaml:1:1 There is no file "./undefined.yaml"',
    );
    await expect(save("name: desk\nagent_class: LlmAgent\n")).rejects.toThrow('"instruction" is missing.');
    expect(now()).toEqual(RICH);
  });
});
