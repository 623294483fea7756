import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { toPart, toResourceResult, toToolResult } from "./tool-result.ts";

const PNG = { mimeType: "image/png", data: "aW1hZ2U=" };
const WAV = { mimeType: "audio/wav", data: "c291bmQ=" };
const PDF = { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "cGRm" };
const BYTES = { uri: "file:///b", blob: "Ynl0ZXM=" };
const NOTE = { uri: "file:///c.txt", mimeType: "text/plain", text: "note" };
const LINK = { type: "resource_link", uri: "https://x.test/d", name: "d" } as const;
const annotations = { priority: 1 };

const CONTENT: readonly ContentBlock[] = [
  { type: "text", text: "a", annotations },
  { type: "image", ...PNG, annotations },
  { type: "image", ...PNG },
  { type: "audio", ...WAV },
  { type: "resource", resource: PDF },
  { type: "resource", resource: BYTES },
  { type: "resource", resource: NOTE },
  LINK,
];

it("keeps each member of a tool's result, and its media as parts with names of their own", () => {
  const result: CallToolResult = { content: [...CONTENT], structuredContent: { sum: 2 } };
  const { response, media } = toToolResult(result, "sum: too large");
  expect(response).toEqual({
    content: [
      { type: "text", text: "a", annotations },
      { type: "image", mimeType: "image/png", annotations, displayName: "image-1" },
      { type: "image", mimeType: "image/png", displayName: "image-2" },
      { type: "audio", mimeType: "audio/wav", displayName: "audio-3" },
      { type: "resource", resource: { uri: PDF.uri, mimeType: PDF.mimeType, displayName: "application-4" } },
      { type: "resource", resource: { uri: BYTES.uri, displayName: "application-5" } },
      { type: "resource", resource: NOTE },
      LINK,
    ],
    structuredContent: { sum: 2 },
    schemaProblems: "sum: too large",
  });
  expect(media).toEqual([
    { inlineData: { ...PNG, displayName: "image-1" } },
    { inlineData: { ...PNG, displayName: "image-2" } },
    { inlineData: { ...WAV, displayName: "audio-3" } },
    { inlineData: { mimeType: PDF.mimeType, data: PDF.blob, displayName: "application-4" } },
    { inlineData: { mimeType: "application/octet-stream", data: BYTES.blob, displayName: "application-5" } },
  ]);
});

it.each([
  [true, { content: [], isError: true }],
  [false, { content: [] }],
  [undefined, { content: [] }],
])("tells the model of a result that is an error: %j", (isError, expected) => {
  expect(toToolResult({ content: [], isError } as CallToolResult).response).toEqual(expected);
});

it("keeps the contents of a resource, and its bytes as parts", () => {
  const { response, media } = toResourceResult({ contents: [NOTE, PDF] });
  expect(response).toEqual({
    contents: [NOTE, { uri: PDF.uri, mimeType: PDF.mimeType, displayName: "application-1" }],
  });
  expect(media).toEqual([{ inlineData: { mimeType: PDF.mimeType, data: PDF.blob, displayName: "application-1" } }]);
});

it("makes a part of each block of a prompt", () => {
  expect(CONTENT.map(toPart)).toEqual([
    { text: "a" },
    { inlineData: PNG },
    { inlineData: PNG },
    { inlineData: WAV },
    { inlineData: { mimeType: PDF.mimeType, data: PDF.blob } },
    { inlineData: { mimeType: "application/octet-stream", data: BYTES.blob } },
    { text: "note" },
    { fileData: { fileUri: LINK.uri, displayName: "d" } },
  ]);
});
