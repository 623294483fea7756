import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Part } from "../events/content.ts";
import type { FunctionDeclaration } from "../models/llm-request.ts";
import type { JsonObject } from "../platform/json.ts";

/** Lists the session's artifacts to the model and shows it requested ones: in the next request, not in the session. */
export class LoadArtifactsTool extends BaseTool {
  readonly #declaration: FunctionDeclaration;

  constructor() {
    super({ name: "load_artifacts", description: "Shows artifacts of this session by name.", idempotent: true });
    this.#declaration = {
      name: this.name,
      description: this.description,
      parameters: {
        type: "object",
        properties: {
          artifact_names: { type: "array", items: { type: "string" }, description: "Names of artifacts." },
        },
      },
    };
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    if (context.invocationContext.artifactService === undefined)
      return { error: "There are no artifacts: this server keeps none." };
    return { artifact_names: namesIn(args), status: "The contents follow this answer, for this step only." };
  }

  override async processLlmRequest(context: ToolContext, request: ToolLlmRequest): Promise<void> {
    await super.processLlmRequest(context, request);
    if (context.invocationContext.artifactService === undefined) return;
    const names = await context.listArtifacts();
    if (names.length === 0) return;
    request.appendInstructions(
      `You have these artifacts, by name:\n${JSON.stringify(names)}\nTheir contents are not shown to you unless you call ` +
        "load_artifacts. Always call it before you answer anything about an artifact, also when you have called it before.",
    );
    for (const name of askedFor(request)) {
      const parts = await this.#load(name, context);
      if (parts !== undefined) request.contents.push({ role: "user", parts });
    }
  }

  async #load(name: string, context: ToolContext): Promise<readonly Part[] | undefined> {
    const artifact = (await context.loadArtifact(name)) ?? (await loadOfUser(name, context));
    if (artifact !== undefined) return [{ text: `Artifact ${name} is:` }, artifactForModel(artifact, name)];
    return [{ text: `There is no artifact ${name}.` }];
  }
}

const USER_PREFIX = "user:";

/** Models omit the prefix of the user's own artifacts. */
async function loadOfUser(name: string, context: ToolContext): Promise<Part | undefined> {
  return name.startsWith(USER_PREFIX) ? undefined : context.loadArtifact(USER_PREFIX + name);
}

/** The names in the call that the newest content answers. */
function askedFor({ contents }: ToolLlmRequest): readonly string[] {
  const responses = contents.at(-1)?.parts ?? [];
  return responses.flatMap(({ functionResponse }) =>
    functionResponse?.name === "load_artifacts" ? namesIn(functionResponse.response ?? {}) : [],
  );
}

function namesIn(args: JsonObject): readonly string[] {
  const names = args["artifact_names"];
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

const AS_IT_IS = /^(image|audio|video)\/|^application\/pdf$/;
const AS_TEXT = /^text\/|^application\/(csv|json|xml)$/;
const KILOBYTE = 1024;

/** The artifact in a form that models can read; any other type becomes a note. */
export function artifactForModel(artifact: Part, name: string): Part {
  const { inlineData } = artifact;
  if (inlineData === undefined) return artifact;
  const mimeType = (inlineData.mimeType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (inlineData.data === undefined) return { text: `[Artifact ${name} (${mimeType}) has no data.]` };
  if (AS_IT_IS.test(mimeType)) return artifact;
  const bytes = Buffer.from(inlineData.data, "base64");
  if (AS_TEXT.test(mimeType)) return { text: bytes.toString("utf8") };
  const size = (bytes.length / KILOBYTE).toFixed(1);
  return {
    text: `[Artifact ${name}: type ${mimeType === "" ? "unknown" : mimeType}, ${size} KB. It cannot be shown here.]`,
  };
}
