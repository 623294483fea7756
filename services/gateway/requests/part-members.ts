import { isJsonObject } from "#kit/platform/json.ts";

/**
 * Removes what the protocol does not have from a part that a client sent. Unknown members are ignored everywhere in requests; stored in
 * a part, they would make adk-python, whose models of parts are closed, refuse the whole session.
 */
export function removeUnknownMembers(part: Record<string, unknown>): void {
  keepOnly(part, PART_MEMBERS);
  for (const [name, known] of NESTED_MEMBERS) if (isJsonObject(part[name])) keepOnly(part[name], known);
}

function keepOnly(object: object, known: ReadonlySet<string>): void {
  // A parsed JSON object that nobody else holds yet.
  const target = object as Record<string, unknown>;
  for (const name in target) if (!known.has(name)) delete target[name];
}

const PART_MEMBERS: ReadonlySet<string> = new Set([
  ...["text", "thought", "thoughtSignature", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult", "videoMetadata", "mediaResolution", "toolCall", "toolResponse"],
  ...["partMetadata", "audioTranscription", "mediaProcessing", "speechMetadata"],
]);

const NESTED_MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["inlineData", new Set(["mimeType", "data", "displayName"])],
  ["fileData", new Set(["mimeType", "fileUri", "displayName"])],
  ["functionCall", new Set(["id", "name", "args", "partialArgs", "willContinue"])],
  ["functionResponse", new Set(["id", "name", "response", "scheduling", "willContinue", "parts"])],
  ["executableCode", new Set(["id", "language", "code"])],
  ["codeExecutionResult", new Set(["id", "outcome", "output"])],
  ["videoMetadata", new Set(["startOffset", "endOffset", "fps"])],
]);
