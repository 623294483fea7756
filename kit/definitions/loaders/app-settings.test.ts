import { describe, expect, it } from "vitest";
import type { Plugin } from "#kit/core/plugin.ts";
import { ContextFilterPlugin } from "#kit/plugins/context-filter-plugin.ts";
import { GlobalInstructionPlugin } from "#kit/plugins/global-instruction-plugin.ts";
import { LoggingPlugin } from "#kit/plugins/logging-plugin.ts";
import { ReflectAndRetryToolPlugin } from "#kit/plugins/reflect-and-retry-tool-plugin.ts";
import { SaveFilesAsArtifactsPlugin } from "#kit/plugins/save-files-as-artifacts-plugin.ts";
import { ToolCallIntegrityPlugin } from "#kit/plugins/tool-call-integrity-plugin.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { LLM, loadApp, problemsOf, registry } from "#test/helpers/worlds/definitions.ts";
import { ConfigAgentLoader } from "./config-agent-loader.ts";

const audit: Plugin = { name: "audit" };
const summarizer = { summarizeEvents: async () => undefined };

function components() {
  const filled = registry();
  filled.pluginInstances.register("audit", audit);
  filled.pluginClasses.register("Labelled", {
    fromConfig: (args, parts) => ({
      name: `${args.getOrDefault("label", "none")} ${String(parts.instance("number"))}`,
    }),
  });
  filled.instances.register("brief", summarizer).register("keepAll", (contents: unknown) => contents);
  return filled;
}

const settingsOf = async (text: string, file = "app.yaml") => {
  const { name, rootAgent, ...settings } = await loadApp({ "root_agent.yaml": LLM, [file]: text }, components());
  expect([name, rootAgent.name]).toEqual(["shop", "root"]);
  return settings;
};

const problemsIn = (text: string): Promise<readonly string[]> =>
  problemsOf({ "root_agent.yaml": LLM, "app.yaml": text }, components());

describe("an app's own file", () => {
  it("may be missing: the app has no settings then", async () => {
    const { plugins, name } = await loadApp({ "root_agent.yaml": LLM });
    expect({ plugins, name }).toEqual({ plugins: [], name: "shop" });
  });

  it("sets what an app in code sets, under the same names", async () => {
    const settings = await settingsOf(`plugins: [{name: audit}]
eventsCompaction: {compactionInterval: 3, overlapSize: 1, tokenThreshold: 900, eventRetentionSize: 5, summarizer: {name: brief}}
contextCache: {ttlSeconds: 60, minTokens: 100}
resumability: {isResumable: true}
concurrencyPolicy: reject
onDisconnect: CANCEL
`);
    expect(settings).toEqual({
      plugins: [audit],
      eventsCompaction: {
        compactionInterval: 3,
        overlapSize: 1,
        tokenThreshold: 900,
        eventRetentionSize: 5,
        summarizer,
      },
      contextCache: { ttlSeconds: 60, minTokens: 100, maxInvocations: 10 },
      resumability: { isResumable: true },
      concurrencyPolicy: "reject",
      onDisconnect: "cancel",
    });
  });

  it.each(["app.yml", "app.json"])("may be %s, and write names in snake_case", async (file) => {
    const text = JSON.stringify({ on_disconnect: "continue", context_cache: { ttl_seconds: 5 } });
    expect(await settingsOf(text, file)).toEqual({
      plugins: [],
      contextCache: { ttlSeconds: 5, minTokens: 0, maxInvocations: 10 },
      onDisconnect: "continue",
    });
  });

  it("names the plugins of the kit, also as ADK calls them, and gives them arguments", async () => {
    const { plugins } = await settingsOf(`plugins:
  - {name: google.adk.plugins.LoggingPlugin, args: {name: log, content: true}}
  - {name: ContextFilterPlugin, args: {name: brief, numInvocationsToKeep: 2, customFilter: keepAll}}
  - {name: ContextFilterPlugin, args: {name: briefer, numInvocationsToKeep: 1}}
  - {name: GlobalInstructionPlugin, args: {name: tone, global_instruction: Be kind.}}
  - {name: ReflectAndRetryToolPlugin, args: {name: again, maxRetries: 1, scope: global}}
  - {name: SaveFilesAsArtifactsPlugin, args: {name: files}}
  - {name: SaveFilesAsArtifactsPlugin}
  - {name: ToolCallIntegrityPlugin, args: {name: guard, logOnly: true}}
  - {name: Labelled, args: {label: mine}}
`);
    expect(plugins.map(({ name }) => name)).toEqual([
      ...["log", "brief", "briefer", "tone", "again", "files"],
      "save_files_as_artifacts",
      "guard",
      "mine 7",
    ]);
    expect(plugins.slice(0, 8).map(({ constructor }) => constructor)).toEqual([
      LoggingPlugin,
      ContextFilterPlugin,
      ContextFilterPlugin,
      GlobalInstructionPlugin,
      ReflectAndRetryToolPlugin,
      SaveFilesAsArtifactsPlugin,
      SaveFilesAsArtifactsPlugin,
      ToolCallIntegrityPlugin,
    ]);
  });

  it("reports all its problems, each with its place, together with those of the agents", async () => {
    const problems = await problemsOf(
      {
        "root_agent.yaml": `${LLM}maxSteps: none\n`,
        "app.yaml": `plugns: []
plugins:
  - name: Loging Plugin
  - name: audit
    args: {a: 1}
  - name: audit
  - name: audit
  - name: LoggingPlugin
    args: {contents: true}
  - args: {}
eventsCompaction:
  compactionInterval: 3
contextCache:
  ttlSeconds: 60
  maxInvocations: 200
resumability: {}
concurrencyPolicy: wait
onDisconnect: 5
`,
      },
      components(),
    );
    expect(problems).toEqual([
      'shop/root_agent.yaml:4:11 Expected an integer of 1 or more, found the text "none".',
      'shop/app.yaml:1:1 Unknown field "plugns": did you mean "plugins"?',
      'shop/app.yaml:3:5 No plugin "Loging Plugin" is registered: did you mean "LoggingPlugin"?',
      'shop/app.yaml:5:5 The plugin "audit" takes no args here.',
      'shop/app.yaml:7:5 Two plugins are named "audit": give each its own name, with "args: { name: … }" where it takes one.',
      'shop/app.yaml:9:5 The plugin "LoggingPlugin" cannot be built: there is no "contents"; it takes: name, content.',
      'shop/app.yaml:10:5 "name" is missing.',
      "shop/app.yaml:12:3 eventsCompaction.overlapSize is missing: compactionInterval needs it.",
      "shop/app.yaml:15:3 contextCache.maxInvocations is 200: give a whole number from 1 to 100.",
      'shop/app.yaml:16:15 "isResumable" is missing.',
      'shop/app.yaml:17:20 Expected enqueue or reject or interrupt or rollback, found the text "wait".',
      "shop/app.yaml:18:15 Expected continue or cancel, found 5.",
    ]);
  });

  it.each([
    ["", "1:1 The file is empty."],
    ["plugins: [{name: audit}", ":"],
    ["- a", "1:1 Expected a map of fields, found a list."],
    ["name: shop", '1:1 Unknown field "name".'],
    ["events_compaction_config: {}", '1:1 Unknown field "events_compaction_config": did you mean "eventsCompaction"?'],
    ["eventsCompaction: {summarizer: {name: breif}}", ': No summarizer "breif" is registered: did you mean "brief"?'],
    ["eventsCompaction: {summarizer: {name: number}}", ': "number" is registered, and is not a summarizer.'],
    [
      "plugins: [{name: ContextFilterPlugin, args: {customFilter: brief}}]",
      ': The plugin "ContextFilterPlugin" cannot be built: "customFilter" should name a registered function, and "brief" is none.',
    ],
    [
      "plugins: [{name: ContextFilterPlugin, args: {numInvocationsToKeep: 0}}]",
      'built: "numInvocationsToKeep" should be a whole number from 1.',
    ],
    ["plugins: [{name: GlobalInstructionPlugin}]", 'built: "globalInstruction" is missing: the text to tell.'],
    [
      "plugins: [{name: ReflectAndRetryToolPlugin, args: {scope: run}}]",
      'built: "scope" should be one of INVOCATION, GLOBAL.',
    ],
    [
      "plugins: [{name: ReflectAndRetryToolPlugin, args: {maxRetries: 0.5}}]",
      'built: "maxRetries" should be a whole number from 0.',
    ],
    [
      "plugins: [{name: ReflectAndRetryToolPlugin, args: {maxRetries: 1, max_retries: 2}}]",
      'built: "maxRetries" is given in two spellings: keep one.',
    ],
  ])("is refused: %j", async (text, problem) => {
    const [first, ...others] = await problemsIn(text);
    expect([first, others]).toEqual([expect.stringMatching(/^shop\/app\.yaml:\d+:\d+ /), []]);
    expect(first).toContain(problem.replace(/^: /, " "));
  });

  it("is read again when it changes, appears or goes", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": LLM });
    const loader = new ConfigAgentLoader(folder.path, true, { watch: { notices: false, pollMs: 3_600_000 } });
    const policies: (string | undefined)[] = [];
    for (const text of [undefined, "onDisconnect: cancel", "onDisconnect: continue", "onDisconnect: broken"]) {
      if (text !== undefined) folder.write("shop/app.yaml", text);
      await loader.refresh();
      policies.push((await loader.loadAgent("shop")).app.onDisconnect);
    }
    await loader.close();
    expect(policies).toEqual([undefined, "cancel", "continue", "continue"]);
  });
});
