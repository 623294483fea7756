import type { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import type { DirectoryAgentFiles } from "#ports/editor/directory-agent-files.ts";

/** The assistant can read definitions, and write drafts. */
export type EditedFiles = Pick<DirectoryAgentFiles, "list" | "save">;

const MAX_SAVED = 20;
const MAX_READ_CHARACTERS = 64 * 1024;

const FILES = {
  type: "object",
  properties: {
    files: {
      type: "array",
      minItems: 1,
      maxItems: MAX_SAVED,
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "root_agent.yaml, or the agent's name with .yaml" },
          text: { type: "string", description: "The whole definition, as YAML." },
        },
        required: ["path", "text"],
        additionalProperties: false,
      },
    },
  },
  required: ["files"],
  additionalProperties: false,
} as const;

interface SavedFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/**
 * The assistant's tools. Both work on the one app that its conversation is about: neither takes an app's name, so that
 * nothing that the model reads can lead it to another one.
 */
export function assistantTools(files: EditedFiles): readonly BaseTool[] {
  return [
    new FunctionTool({
      name: "read_definitions",
      description: "Returns the definitions of the app by their paths, as the person sees them in the editor now.",
      idempotent: true,
      execute: (_args, context) => reported(async () => ({ files: shortened(await files.list(appOf(context))) })),
    }),
    new FunctionTool({
      name: "save_definitions",
      description:
        "Writes definitions into the draft, all or none. Files that are not named stay as they are. Returns the problems if the editor refuses one.",
      parameters: FILES,
      execute: (args, context) =>
        reported(async () => {
          // The tool's schema has just accepted the arguments.
          const given = new Map((args as unknown as SavedFiles).files.map(({ path, text }) => [path, text]));
          await files.save(appOf(context), given, { temporary: true });
          return { saved: [...given.keys()] };
        }),
    }),
  ];
}

/** The app that the developer UI names when it begins the conversation, as `<app>/tmp/<app>`. */
function appOf({ state }: ToolContext): string {
  const folder = state.get("root_directory");
  const [app, middle, again, ...others] = typeof folder === "string" ? folder.split("/") : [];
  if (app !== undefined && app !== "" && middle === "tmp" && again === app && others.length === 0) return app;
  throw new PlatformError("INVALID_FIELD", "This conversation is about no app: open the assistant in the editor.");
}

/** The model gets the refusals of the editor, and can do better; other failures are faults of the run. */
async function reported(work: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError && error.reason === "INVALID_FIELD") return { error: error.message };
    throw error;
  }
}

function shortened(files: ReadonlyMap<string, string>): JsonObject {
  let left = MAX_READ_CHARACTERS;
  const shown: Record<string, string> = {};
  for (const [path, text] of files) {
    shown[path] = text.length <= left ? text : `${text.slice(0, left)}\n# The rest is too long to be shown.`;
    left = Math.max(0, left - text.length);
  }
  return shown;
}
