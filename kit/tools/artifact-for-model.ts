import type { Part } from "../events/content.ts";

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
