import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { OpenApiToolset } from "#kit/tools/openapi/open-api-toolset.ts";
import { DirectoryAgentFiles } from "#ports/editor/directory-agent-files.ts";
import { openInAdkEditor } from "#test/helpers/clients/adk-editor.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { ComponentRegistry } from "./component-registry.ts";
import { componentRegistry } from "./core-components.ts";

const PETS = `openapi: 3.1.0
servers: [{ url: "https://pets.example" }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
  /pets: { get: { operationId: listPets } }
`;

function registryWith(model = new ScriptedModel([])): ComponentRegistry {
  const registry = new ComponentRegistry(componentRegistry);
  registry.instances
    .register("script", model)
    .register("scheme", { type: "http", scheme: "bearer" })
    .register("token", { authType: "http", http: { scheme: "bearer", credentials: { token: "secret" } } })
    .register("user_headers", () => ({ "x-user": "ada" }));
  return registry;
}

function definition(args: JsonObject, name = "OpenApiToolset"): string {
  return `name: keeper\nmodel_code: { name: script }\ninstruction: x\ntools:\n  - name: ${name}\n    args: ${JSON.stringify(args)}\n`;
}

async function load(args: JsonObject, files: Readonly<Record<string, string>> = {}, name?: string): Promise<LlmAgent> {
  const folder = agentsFolder({ "pets/root_agent.yaml": definition(args, name), ...files });
  const loader = new ConfigAgentLoader(folder.path, false, { registry: registryWith() });
  const { rootAgent } = (await loader.loadAgent("pets")).app;
  return rootAgent instanceof LlmAgent ? rootAgent : expect.unreachable();
}

describe("OpenApiToolset in a definition", () => {
  it.each(["OpenApiToolset", "OpenAPIToolset", "google.adk.tools.OpenAPIToolset"])(
    "is made of a file, a text or a map, as %s",
    async (name) => {
      verifies("definitions:additional-provider:open-api");
      const spec = { openapi: "3.0.0", servers: [{ url: "https://a.example" }], paths: { "/a": { get: {} } } };
      const files = { "pets/apis/pets.yaml": PETS };
      const given: JsonObject[] = [
        { spec_file: "apis/pets.yaml" },
        { spec_str: PETS, spec_str_type: "yaml" },
        { spec_str: JSON.stringify(spec), spec_str_type: "json" },
        { specDict: spec },
      ];
      for (const args of given) {
        expect((await load(args, files, name)).tools[0]).toBeInstanceOf(OpenApiToolset);
      }
    },
  );

  it("calls the server with the credentials that the registry has", async () => {
    verifies("definitions:additional-provider:open-api");
    const received: unknown[] = [];
    const server = createServer(({ url, headers }, response) => {
      received.push([url, headers.authorization, headers["x-user"]]);
      response.writeHead(200, { "content-type": "application/json" }).end('{"name":"Tom"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    const model = new ScriptedModel([functionCallResponse("pets_get_pet", { id: "7" }), "Tom."]);
    const args = {
      ...{ spec_file: "pets.yaml", base_url: `http://127.0.0.1:${port}/v2`, tool_filter: ["get_pet"], timeout: 5 },
      ...{ tool_name_prefix: "pets", auth_scheme: "scheme", auth_credential: "token", header_provider: "user_headers" },
    };
    const folder = agentsFolder({ "pets/root_agent.yaml": definition(args), "pets/pets.yaml": PETS });
    const loader = new ConfigAgentLoader(folder.path, false, { registry: registryWith(model) });
    await using outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
    const { rootAgent } = (await loader.loadAgent("pets")).app;
    const world = await createAgentWorld(rootAgent, { outbound });
    const events = await world.run("hi");
    expect(events.flatMap(functionResponses)[0]?.response).toEqual({ name: "Tom" });
    expect(received).toEqual([["/v2/pets/7", "Bearer secret", "ada"]]);
    expect(model.requests[0]?.functionDeclarations.map(({ name }) => name)).toEqual(["pets_get_pet"]);
  });

  it.each([
    [{}, 'there should be one of "specFile", "specStr" and "specDict"'],
    [{ spec_file: "a.yaml", spec_str: "x" }, "there should be one of"],
    [{ spec_file: "none.yaml" }, "pets/none.yaml does not exist"],
    [{ spec_file: "../other/a.yaml" }, "leaves the app's folder"],
    [{ spec_file: "/etc/passwd" }, "leaves the app's folder"],
    [
      { spec_file: "broken.yaml" },
      '"broken.yaml": The OpenAPI description cannot be used: it is neither JSON nor YAML (line 2, column 8)',
    ],
    [{ spec_file: "broken.json" }, "neither JSON nor YAML (line 2, column 14)"],
    [{ spec_file: "large.yaml" }, "is over 16384 KiB"],
    [{ spec_str: "openapi: 2.0.0" }, '"specStr": The OpenAPI description cannot be used: "openapi" should be'],
    [{ spec_str: "x", spec_str_type: "xml" }, '"specStrType" should be json or yaml'],
    [{ spec_dict: { openapi: "3.0.0", paths: { "/a": { get: {} } } } }, "Give the toolset a baseUrl"],
    [{ spec_str: PETS, base_url: "pets" }, "baseUrl should be an address"],
    [{ spec_str: PETS, timeout: 0 }, "timeoutMs must be a whole number"],
    [{ spec_str: PETS, auth_scheme: "scheme" }, '"authScheme" and "authCredential" are given together'],
    [{ spec_str: PETS, auth_scheme: "none", auth_credential: "token" }, '"authScheme": no object "none" is registered'],
    [
      { spec_str: PETS, auth_scheme: "scheme", auth_credential: "none" },
      '"authCredential": no object "none" is registered',
    ],
    [{ spec_str: PETS, header_provider: "token" }, 'no function "token" is registered'],
    [{ spec_str: PETS, auth_credential: { token: "secret" } }, '"authCredential" should be a text'],
    [{ spec_str: PETS, password: "x" }, 'there is no "password"'],
  ])("is refused with %j, at its line and column", async (args, problem) => {
    const files = {
      "pets/broken.yaml": "openapi: 3.1.0\npaths: }\n",
      "pets/broken.json": '{\n"openapi": [ }',
      "pets/large.yaml": `# ${"x".repeat(16 * 1024 * 1024)}`,
    };
    const error = await load(args, files).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(problem);
    expect(error).toMatchObject({ problems: [{ file: "pets/root_agent.yaml", line: 6, column: 5 }] });
  });

  it("is loaded again when the file with its description changes", async () => {
    const folder = agentsFolder({
      "pets/root_agent.yaml": definition({ spec_file: "pets.yaml" }),
      "pets/pets.yaml": PETS,
    });
    const logger = new RecordingLogger();
    const model = new ScriptedModel(["One.", "Two."]);
    const options = {
      registry: registryWith(model),
      logger,
      watch: { debounceMs: 1, pollMs: 3_600_000, notices: true },
    };
    const loader = new ConfigAgentLoader(folder.path, true, options);
    onTestFinished(() => loader.close());
    const run = async () =>
      createAgentWorld((await loader.loadAgent("pets")).app.rootAgent).then((world) => world.run("hi"));
    await run();
    const loaded = logger.next("was loaded again");
    folder.write("pets/pets.yaml", PETS.replace("listPets", "findPets"));
    await loaded;
    await run();
    expect(model.requests.map((request) => request.functionDeclarations.map(({ name }) => name))).toEqual([
      ["get_pet", "list_pets"],
      ["get_pet", "find_pets"],
    ]);
  });

  it("stays as it is when the UI's editor saves the app, and so does its file", async () => {
    const folder = agentsFolder({
      "pets/root_agent.yaml": definition({ spec_file: "apis/pets.yaml", tool_filter: ["get_pet"] }),
      "pets/apis/pets.yaml": PETS,
    });
    const editor = new DirectoryAgentFiles(folder.path);
    const opened = await openInAdkEditor((filePath) => editor.read("pets", { filePath, temporary: true }));
    opened.root.instruction = "Be brief.";
    await editor.save("pets", opened.uploads(), { temporary: true });
    await editor.save("pets", opened.uploads(), { temporary: false });
    const loader = new ConfigAgentLoader(folder.path, false, { registry: registryWith() });
    const { rootAgent } = (await loader.loadAgent("pets")).app;
    const agent = rootAgent instanceof LlmAgent ? rootAgent : expect.unreachable();
    expect([agent.tools[0], agent.instruction]).toEqual([
      expect.any(OpenApiToolset),
      { kind: "static", text: "Be brief." },
    ]);
  });
});
