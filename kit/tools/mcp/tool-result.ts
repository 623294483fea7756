import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import { ToolResult } from "#kit/core/context/tool-result.ts";
import type { Part } from "#kit/events/content.ts";

/**
 * The result for the model: what the server returned, with images, audio and files as additional parts, and with what
 * does not fit the tool's declared schema.
 */
export function toToolResult(
  { content, structuredContent, isError }: CallToolResult,
  schemaProblems?: string,
): ToolResult {
  const media: Part[] = [];
  const blocks = content.map((block) => withoutMedia(block, media));
  const response = {
    content: blocks,
    structuredContent,
    isError: isError === true ? isError : undefined,
    schemaProblems,
  };
  return new ToolResult({ response, media });
}

/** The contents of a resource for the model. */
export function toResourceResult({ contents }: ReadResourceResult): ToolResult {
  const media: Part[] = [];
  return new ToolResult({ response: { contents: contents.map((resource) => withoutBlob(resource, media)) }, media });
}

function withoutMedia(block: ContentBlock, media: Part[]): object {
  switch (block.type) {
    case "image":
    case "audio": {
      const { data, mimeType, ...rest } = block;
      return { ...rest, mimeType, displayName: keep(media, { data, mimeType }) };
    }
    case "resource":
      return { ...block, resource: withoutBlob(block.resource, media) };
    default:
      return block;
  }
}

function withoutBlob(resource: ReadResourceResult["contents"][number], media: Part[]): object {
  if (!("blob" in resource)) return resource;
  const { blob, ...rest } = resource;
  const { mimeType = "application/octet-stream" } = resource;
  return { ...rest, displayName: keep(media, { data: blob, mimeType }) };
}

/** Adds the data to the media and returns the name by which the response refers to it. */
function keep(media: Part[], { data, mimeType }: { readonly data: string; readonly mimeType: string }): string {
  const displayName = `${mimeType.split("/")[0]}-${media.length + 1}`;
  media.push({ inlineData: { mimeType, data, displayName } });
  return displayName;
}

/** Converts a block of a prompt's message to a part. */
export function toPart(block: ContentBlock): Part {
  if (block.type === "text") return { text: block.text };
  if (block.type === "image" || block.type === "audio")
    return { inlineData: { mimeType: block.mimeType, data: block.data } };
  if (block.type === "resource_link") return { fileData: { fileUri: block.uri, displayName: block.name } };
  const { resource } = block;
  if ("text" in resource) return { text: resource.text };
  return { inlineData: { mimeType: resource.mimeType ?? "application/octet-stream", data: resource.blob } };
}
