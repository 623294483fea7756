import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Content, FunctionResponse, Part } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

const SCREENSHOT_TYPE = "image/png";

/**
 * The `image` of a response. With an artifact service the screenshot is a new version of one artifact of the session,
 * and the session's events only name it; without one, the response has the data.
 */
export async function saveScreenshot(screenshot: Uint8Array, context: ToolContext): Promise<JsonObject> {
  const data = Buffer.from(screenshot.buffer, screenshot.byteOffset, screenshot.byteLength).toString("base64");
  if (context.invocationContext.artifactService === undefined) return { mimetype: SCREENSHOT_TYPE, data };
  const artifact = `computer_use/${context.agentName}.png`;
  const version = await context.saveArtifact(artifact, { inlineData: { mimeType: SCREENSHOT_TYPE, data } });
  return { mimetype: SCREENSHOT_TYPE, artifact, version };
}

/**
 * Shows the newest screenshots to the model, in the parts of the responses, and leaves the others out: prompts of long
 * tasks would exceed the model's context.
 */
export async function showScreenshots(
  contents: readonly Content[],
  context: ToolContext,
  options: { readonly isComputerFunction: (name: string) => boolean; readonly maxScreenshots: number },
): Promise<Content[]> {
  const shown: Content[] = [];
  let left = options.maxScreenshots;
  for (const content of contents.toReversed()) {
    const parts: Part[] = [];
    for (const part of content.parts?.toReversed() ?? []) {
      const { functionResponse } = part;
      const image = functionResponse?.response?.["image"];
      if (
        functionResponse === undefined ||
        !isJsonObject(image) ||
        !options.isComputerFunction(functionResponse.name ?? "")
      ) {
        parts.push(part);
        continue;
      }
      const data = left > 0 ? await dataOf(image, context) : undefined;
      if (data !== undefined) left -= 1;
      parts.push({ ...part, functionResponse: withScreenshot(functionResponse, data) });
    }
    const isSame = parts.every((part, index) => part === content.parts?.at(-1 - index));
    shown.push(isSame ? content : { ...content, parts: parts.reverse() });
  }
  return shown.reverse();
}

/** Undefined if the screenshot has been deleted. */
async function dataOf({ data, artifact, version }: JsonObject, context: ToolContext): Promise<string | undefined> {
  if (typeof data === "string") return data;
  if (typeof artifact !== "string" || typeof version !== "number") return undefined;
  if (context.invocationContext.artifactService === undefined) return undefined;
  return (await context.loadArtifact(artifact, version))?.inlineData?.data;
}

function withScreenshot(functionResponse: FunctionResponse, data: string | undefined): FunctionResponse {
  const { image: _, ...response } = functionResponse.response ?? {};
  if (data === undefined) return { ...functionResponse, response };
  return { ...functionResponse, response, parts: [{ inlineData: { mimeType: SCREENSHOT_TYPE, data } }] };
}
