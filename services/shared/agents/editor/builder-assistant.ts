import { createApp } from "#kit/core/app.ts";
import type { ModelResponseContext } from "#kit/core/callbacks.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { LoadedApp } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, type Part, textOf } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ASSISTANT_INSTRUCTION } from "./assistant-instruction.ts";
import { assistantTools, type EditedFiles } from "./assistant-tools.ts";
import { BUILDER_ASSISTANT } from "./editor-settings.ts";

/** A model that has not finished after so many steps is not going to. */
const MAX_STEPS = 12;

const HELLO =
  "Tell me what your agent should do. I write its definitions into the draft that you see here; nothing is kept until you press Save.";
const NO_MODEL =
  "I need a model. Set EDITOR_MODEL to a model's name and the key of its provider, for example EDITOR_MODEL=gemini-3.8-flash with GOOGLE_API_KEY, and start the server again. The editor itself needs none: click an agent to change it, and press Save.";
const NO_ANSWER = "The model gave no answer. Ask again, or in other words.";

/** The developer UI sends this when it shows the assistant. */
const FIRST_MESSAGE = "hello";

/** The assistant of the developer UI's editor. `model` is the name of its model; without one it answers what to set. */
export function createBuilderAssistant(files: EditedFiles, model: string): LoadedApp {
  const rootAgent = new LlmAgent({
    name: BUILDER_ASSISTANT,
    description: "Writes definitions of agents for the editor of the developer UI.",
    // Never called without a model of the operator: the callback answers.
    model: model === "" ? "demo/chat" : model,
    instruction: () => ASSISTANT_INSTRUCTION,
    tools: assistantTools(files),
    maxSteps: MAX_STEPS,
    beforeAgentCallback: (context) => answerWithoutModel(context, model),
    afterModelCallback: (_context: ModelResponseContext, response) => forOneBubble(response),
    onModelErrorCallback: (_context, _request, error) => failureOf(error, model),
  });
  const app = createApp({ name: BUILDER_ASSISTANT, rootAgent });
  return { name: BUILDER_ASSISTANT, app, language: "typescript", version: 1 };
}

function answerWithoutModel({ userContent }: CallbackContext, model: string): Content | undefined {
  if (model === "") return say(NO_MODEL);
  return userContent !== undefined && textOf(userContent) === FIRST_MESSAGE ? say(HELLO) : undefined;
}

/**
 * The UI shows the first text of an answer and no other, and shows thoughts as text: what a model says beside its calls
 * is left out, and so are thoughts. Without any text it would wait for ever.
 */
function forOneBubble(response: LlmResponse): LlmResponse | undefined {
  const { content, partial } = response;
  if (partial === true || content === undefined) return undefined;
  const { parts = [] } = content;
  const hasCalls = parts.some(({ functionCall }) => functionCall !== undefined);
  const isHidden = ({ text, thought, thoughtSignature }: Part): boolean =>
    text !== undefined && thoughtSignature === undefined && (hasCalls || thought === true);
  const shown = parts.filter((part) => !isHidden(part));
  const isSilent = !hasCalls && shown.every(({ text = "" }) => text.trim() === "");
  return { ...response, content: { ...content, parts: isSilent ? [...shown, { text: NO_ANSWER }] : shown } };
}

function failureOf(error: Error, model: string): LlmResponse {
  const why = error instanceof PlatformError ? error.message : "The server's log has the details.";
  return { content: say(`The model ${model} of EDITOR_MODEL cannot be used. ${why}`) };
}

function say(text: string): Content {
  return { role: "model", parts: [{ text }] };
}
