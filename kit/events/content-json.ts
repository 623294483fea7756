import type { JsonRecord } from "#kit/schema/read-json.ts";

const BLOB: JsonRecord = { members: { mimeType: "string", data: "string", displayName: "string" } };

/** Members of a part that code relies on. Others are passed through: models have more of them every year. */
const PART: JsonRecord = {
  members: {
    text: "string",
    thought: "boolean",
    thoughtSignature: "string",
    inlineData: BLOB,
    fileData: { members: { fileUri: "string", mimeType: "string", displayName: "string" } },
    functionCall: { members: { id: "string", name: "string", args: "object" } },
    functionResponse: { members: { id: "string", name: "string", response: "object" } },
    executableCode: { members: { language: "string", code: "string" } },
    codeExecutionResult: { members: { outcome: "string", output: "string" } },
  },
};

export const CONTENT_SHAPE: JsonRecord = { members: { role: "string", parts: { listOf: PART } } };
export const BLOB_SHAPE: JsonRecord = BLOB;
export const TRANSCRIPTION_SHAPE: JsonRecord = { members: { text: "string", finished: "boolean" } };
