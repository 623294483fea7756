import { cpSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { Gateway } from "#services/gateway/add-routes.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { openAgentFiles } from "#shared/agents/open-agent-files.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { type ApiOperation, objectIn, operationsOf, parametersOf } from "#test/helpers/openapi-operations.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const SAMPLES = join(REPOSITORY_ROOT, "agents");

/** Examples of operations that find nothing, because nothing of the kind can be made through the API. */
const NOT_FOUND: Readonly<Record<string, string>> = { readEvalResult: "404", readRecordedTest: "404" };

/** The server with the sample agents; its editor writes to a copy. */
async function startSamples() {
  const drafts = agentsFolder({});
  cpSync(join(SAMPLES, "travel_desk_yaml"), join(drafts.path, "travel_desk_yaml"), { recursive: true });
  const config = loadConfig(standaloneConfigSchema, { PORT: "0", DATA_DIR: agentsFolder({}).path });
  const logger = new RecordingLogger();
  const agentLoader = new DirectoryAgentLoader({ directory: SAMPLES, logger });
  return createStandalone({ config, agentLoader, logger, builder: openAgentFiles(drafts.path) });
}

type Values = Map<string, JsonValue>;

/** The request of an operation's examples. `found` has the parameters that links of earlier answers gave. */
async function exampleRequest(operation: ApiOperation, found: Values): Promise<InjectOptions> {
  const { method, purpose } = operation;
  let url = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, in: place, required, example } of parametersOf(operation)) {
    const value = example ?? found.get(`${purpose}.${String(name)}`);
    if (value === undefined) {
      if (required === true) throw new Error(`${operation.id} has no value for ${String(name)}`);
      continue;
    }
    if (place === "path") url = url.replace(`{${String(name)}}`, encodeURIComponent(String(value)));
    else if (place === "query") query.set(String(name), String(value));
    else headers[String(name)] = String(value);
  }
  const target = query.size > 0 ? `${url}?${query}` : url;
  const [type, media] = Object.entries(objectIn(operation.object, "requestBody", "content"))[0] ?? [];
  // The method is one of a document that the server made.
  const request = { method: method as "GET", url: target, headers };
  if (type === undefined || !isJsonObject(media)) return request;
  if (type !== "multipart/form-data")
    return { ...request, headers: { ...headers, "content-type": type }, payload: JSON.stringify(media["example"]) };
  const form = new FormData();
  const files = objectIn(media, "example")["files"];
  for (const text of Array.isArray(files) ? files : []) form.append("files", new File([String(text)], FORM_FILE));
  const body = new Response(form);
  const formType = body.headers.get("content-type") ?? "";
  return { ...request, headers: { "content-type": formType }, payload: Buffer.from(await body.arrayBuffer()) };
}

/** The name that the description of the upload gives. */
const FORM_FILE = "poet/root_agent.yaml";

interface Answer {
  readonly status: string;
  readonly type: string;
  readonly text: string;
}

async function send(gateway: Gateway, request: InjectOptions, isEndless: boolean): Promise<Answer> {
  const toAnswer = (status: number, type: unknown, text: string): Answer => {
    return { status: String(status), type: String(type).split(";", 1)[0] ?? "", text };
  };
  if (!isEndless) {
    const { statusCode, headers, body } = await gateway.inject(request);
    return toAnswer(statusCode, headers["content-type"], body);
  }
  const { statusCode, headers, stream } = await once(gateway, request);
  for await (const chunk of stream()) return toAnswer(statusCode, headers["content-type"], String(chunk));
  throw new Error(`${String(request.url)} ended without a frame`);
}

function once(gateway: Gateway, request: InjectOptions) {
  return gateway.inject({ ...request, payloadAsStream: true });
}

/** Keeps the values that an answer's links give to other operations. */
function followLinks({ object }: ApiOperation, { status, text }: Answer, found: Values): void {
  for (const link of Object.values(objectIn(object, "responses", status, "links"))) {
    if (!isJsonObject(link)) continue;
    for (const [name, expression] of Object.entries(objectIn(link, "parameters"))) {
      const keys = String(expression).split("#/")[1]?.split("/") ?? [];
      // A pointer into the answer, of any form.
      const value = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text));
      found.set(`${String(link["operationId"])}.${name}`, String(value));
    }
  }
}

/** What is created is read before it is deleted, the last one first. */
function inOrder(operations: readonly ApiOperation[]): readonly ApiOperation[] {
  const isDelete = ({ method }: ApiOperation) => method === "DELETE";
  return [...operations.filter((one) => !isDelete(one)), ...operations.filter(isDelete).reverse()];
}

async function readDocument(gateway: Gateway): Promise<JsonObject> {
  return (await gateway.inject("/openapi.json")).json<JsonObject>();
}

function expectedStatus({ purpose, object }: ApiOperation): string {
  const declared = Object.keys(objectIn(object, "responses"));
  return NOT_FOUND[purpose] ?? declared.find((status) => status.startsWith("2")) ?? "501";
}

const SPELLINGS = Array.from({ length: 8 }, (_, index) => index);

describe("the examples of the API's description", () => {
  // Each round runs all operations, each in another of its spellings.
  it.each(SPELLINGS)("work in the order of the document on the sample agents, in spelling %i", async (round) => {
    verifies("wire:openapi", "wire:openapi:examples", "wire:paths:spellings");
    await using server = await startSamples();
    const document = await readDocument(server.gateway);
    const byPurpose = Map.groupBy(operationsOf(document), ({ purpose }) => purpose);
    const chosen = [...byPurpose.values()].flatMap((spellings) => spellings[round % spellings.length] ?? []);
    expect([...byPurpose.values()].every((spellings) => spellings.length <= SPELLINGS.length)).toBe(true);
    const ajv = new Ajv2020({ strict: false }).addSchema(document, "api");
    const found: Values = new Map();
    for (const operation of inOrder(chosen)) {
      const answer = await send(
        server.gateway,
        await exampleRequest(operation, found),
        operation.purpose === "streamSession",
      );
      const place = `${operation.method} ${operation.path}: ${answer.text.slice(0, 300)}`;
      expect(answer.status, place).toBe(expectedStatus(operation));
      const content = objectIn(operation.object, "responses", answer.status, "content");
      expect(Object.keys(content), place).toContain(answer.type);
      followLinks(operation, answer, found);
      if (answer.type !== "application/json") continue;
      const pointer = ["paths", operation.path, operation.method.toLowerCase(), "responses", answer.status]
        .concat("content", answer.type, "schema")
        .map((part) => encodeURIComponent(part.replaceAll("/", "~1")));
      const isValid = ajv.validate({ $ref: `api#/${pointer.join("/")}` }, JSON.parse(answer.text));
      expect(isValid, `${place} ${ajv.errorsText()}`).toBe(true);
    }
  });
});
