import { describe, expect, it, onTestFinished } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { componentRegistry } from "#kit/definitions/registry/core-components.ts";
import { modelContent } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const AGENT = "name: desk\nmodelCode: {name: scripted}\ninstruction: Answer.\n";

/**
 * A server whose only app is made of these files; the definitions may refer to the components that `fill` registers.
 */
async function serve(files: Readonly<Record<string, string>>, fill: (registry: ComponentRegistry) => void) {
  const registry = new ComponentRegistry(componentRegistry);
  fill(registry);
  const folder = agentsFolder(Object.fromEntries(Object.entries(files).map(([file, text]) => [`app/${file}`, text])));
  const agentLoader = new DirectoryAgentLoader({ directory: folder.path, registry, hotReload: false });
  onTestFinished(() => agentLoader.close());
  return startServerWorld({ agentLoader });
}

describe("a definition with an app.yaml", () => {
  it("runs with the plugins and the policy that it sets", async () => {
    const began = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const model = new ScriptedModel(["Done."]);
    await using world = await serve(
      {
        "root_agent.yaml": AGENT,
        "app.yaml": `plugins:
  - name: gate
  - {name: GlobalInstructionPlugin, args: {globalInstruction: Be kind.}}
concurrencyPolicy: reject
`,
      },
      (registry) => {
        registry.instances.register("scripted", model);
        registry.pluginInstances.register("gate", {
          name: "gate",
          beforeRunCallback: async () => {
            began.resolve();
            await release.promise;
            return undefined;
          },
        });
      },
    );
    const first = world.say("one");
    await began.promise;
    const second = await world.say("two");
    release.resolve();
    expect([second.status, (await first).status]).toEqual([409, 200]);
    expect(await world.stored()).toEqual(["user: one", "desk: Done."]);
    expect(model.requests.map(({ systemInstruction }) => systemInstruction)).toEqual([
      expect.stringMatching(/^Be kind\./),
    ]);
  });

  it("has long conversations summarized", async () => {
    const covered: number[] = [];
    await using world = await serve(
      {
        "root_agent.yaml": AGENT,
        "app.yaml": "eventsCompaction: {compactionInterval: 2, overlapSize: 0, summarizer: {name: counting}}\n",
      },
      (registry) => {
        const summarizer = {
          summarizeEvents: async ({ events }: { readonly events: readonly unknown[] }) => {
            covered.push(events.length);
            return { content: modelContent("A summary.") };
          },
        };
        registry.instances.register("scripted", new ScriptedModel(["Yes."], { repeatLast: true }));
        registry.instances.register("counting", summarizer);
      },
    );
    for (const text of ["one", "two", "three"]) await world.say(text);
    expect(covered).toEqual([4]);
  });

  it("answers with all that is wrong while it is broken", async () => {
    await using world = await serve(
      {
        "root_agent.yaml": `${AGENT}maxSteps: 0\n`,
        "app.yaml": "onDisconect: cancel\ncontextCache: {ttlSeconds: 0}\n",
      },
      (registry) => registry.instances.register("scripted", new ScriptedModel([])),
    );
    const { status, text } = await world.say("hello");
    const problems = [
      "app/root_agent.yaml:4:11 Expected an integer of 1 or more, found 0.",
      'app/app.yaml:1:1 Unknown field "onDisconect": did you mean "onDisconnect"?',
      "app/app.yaml:2:28 Expected an integer of 1 or more, found 0.",
    ];
    expect({ status, ...JSON.parse(text) }).toMatchObject({
      status: 400,
      reason: "CONFIGURATION",
      detail: problems.join("\n"),
    });
  });
});

describe("a definition with an executor", () => {
  it.each([
    ["executor: {maxConcurrent: 2}\n", 2],
    ["", 3],
  ])("runs as many concurrent calls as it configures: %j", async (executor, concurrency) => {
    let running = 0;
    let most = 0;
    const calls: LlmResponse = {
      content: { role: "model", parts: [1, 2, 3].map((n) => ({ functionCall: { name: "look", args: { n } } })) },
    };
    await using world = await serve({ "root_agent.yaml": `${AGENT}${executor}tools: [{name: look}]\n` }, (registry) => {
      registry.instances.register("scripted", new ScriptedModel([calls, "Done."]));
      registry.toolInstances.register(
        "look",
        new FunctionTool({
          name: "look",
          description: "Looks.",
          parameters: { type: "object", properties: { n: { type: "number" } } },
          execute: async () => {
            running += 1;
            most = Math.max(most, running);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return "seen";
          },
        }),
      );
    });
    expect((await world.say("look")).status).toBe(200);
    expect([most, running]).toEqual([concurrency, 0]);
  });
});
