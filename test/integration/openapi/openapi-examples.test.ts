import { cpSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { openAgentFiles } from "#shared/agents/editor/open-agent-files.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import {
  exampleRequest,
  expectedStatus,
  followLinks,
  inOrder,
  readDocument,
  send,
  type Values,
} from "#test/helpers/openapi-examples.ts";
import { objectIn, operationsOf } from "#test/helpers/openapi-operations.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const SAMPLES = join(REPOSITORY_ROOT, "agents");

/** The server with the sample agents; its editor writes to a copy. */
async function startSamples() {
  const drafts = agentsFolder({});
  cpSync(join(SAMPLES, "travel_desk_yaml"), join(drafts.path, "travel_desk_yaml"), { recursive: true });
  const config = loadConfig(standaloneConfigSchema, {
    PORT: "0",
    INBOX: "memory",
    SCHEDULES: "memory",
    WEBHOOKS: "memory",
    DATA_DIR: agentsFolder({}).path,
  });
  const logger = new RecordingLogger();
  const agentLoader = new DirectoryAgentLoader({ directory: SAMPLES, logger });
  return createStandalone({ config, agentLoader, logger, builder: openAgentFiles(drafts.path, "") });
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
