import type { Blob, Content, FileData, FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { withAcceptedMedia } from "./media-rules.ts";
import type { ProviderRules } from "./provider-rules.ts";
import { withOwnThoughts, withSignatures } from "./thoughts.ts";
import { CallIdForms, type ToolNames } from "./wire-names.ts";

/** What changes the calls of a conversation. */
export interface CallForms {
  readonly names: ToolNames;
  /** Arguments by the provider's names of their members. */
  toWireArguments(tool: string, args: JsonObject): JsonObject;
}

/** Members of a part that decorate its data. */
const DECORATIONS: ReadonlySet<string> = new Set([
  ...["thought", "thoughtSignature", "partMetadata", "videoMetadata", "mediaResolution"],
]);

/** The conversation as the provider takes it: it begins and ends with the user, and no part is empty. */
export function wireContents(contents: readonly Content[], rules: ProviderRules, forms: CallForms): readonly Content[] {
  const written = [...wirePartOf(contents, rules, forms)];
  if (written.length > 0 && written[0]?.role === "model") written.unshift(CONTINUE_MESSAGE);
  if (written.at(-1)?.role !== "user") written.push(CONTINUE_MESSAGE);
  return written;
}

/** A part of a conversation as the provider takes it, such as what is sent over a live connection. */
export function wirePartOf(contents: readonly Content[], rules: ProviderRules, forms: CallForms): readonly Content[] {
  const writer = new ContentWriter(rules, forms);
  return contents.flatMap((content) => writer.write(content));
}

class ContentWriter {
  readonly #rules: ProviderRules;
  readonly #forms: CallForms;
  readonly #ids: CallIdForms;

  constructor(rules: ProviderRules, forms: CallForms) {
    this.#rules = rules;
    this.#forms = forms;
    this.#ids = new CallIdForms(rules.callId);
  }

  /** Nothing if no part is left. Unchanged contents, which are most of a long history, are returned as they are. */
  write(content: Content): readonly Content[] {
    const before = content.parts ?? [];
    const role = content.role === "model" ? "model" : "user";
    const parts = before.flatMap((part) => this.#parts(part, role));
    if (parts.length === 0) return [];
    const isSame =
      content.role === role && parts.length === before.length && parts.every((part, at) => part === before[at]);
    const written = isSame ? content : { ...content, role, parts };
    const { placeholderSignature } = this.#rules;
    return [placeholderSignature === undefined ? written : withSignatures(written, placeholderSignature)];
  }

  #parts(source: Part, role: string): readonly Part[] {
    const own = withOwnThoughts(source, this.#rules.thoughtsOf);
    if (own === undefined || (role === "user" && own.thought === true)) return [];
    const part = this.#rules.partMetadata ? own : withoutMetadata(own);
    if (isEmpty(part)) return [];
    if (part.functionCall !== undefined) return [{ ...part, functionCall: this.#call(part.functionCall) }];
    if (part.functionResponse !== undefined) return this.#response(part, part.functionResponse);
    if (part.inlineData === undefined && part.fileData === undefined) return [part];
    return this.#media(part);
  }

  #media(part: Part): readonly Part[] {
    const taken = withAcceptedMedia(part, this.#rules.media);
    if (taken !== part) return isEmpty(taken) ? [] : [taken];
    return [this.#rules.displayNames ? part : withoutDisplayName(part)];
  }

  #call(source: FunctionCall): FunctionCall {
    const { partialArgs: _, willContinue: __, ...call } = source;
    const name = call.name ?? "";
    return {
      ...call,
      ...(call.id !== undefined && { id: this.#ids.forCall(call.id) }),
      ...(name !== "" && { name: this.#forms.names.toWire(name) }),
      ...(call.args !== undefined && { args: this.#forms.toWireArguments(name, call.args) }),
    };
  }

  /** Media that may not be within a response follow it. */
  #response(part: Part, source: FunctionResponse): readonly Part[] {
    const { parts = [], ...bare } = source;
    const media = parts.filter(isMedia).flatMap((one) => this.#media(one));
    const { name, id } = bare;
    const functionResponse = {
      ...bare,
      ...(id !== undefined && { id: this.#ids.forResponse(id) }),
      ...(name !== undefined && name !== "" && { name: this.#forms.names.toWire(name) }),
    };
    if (media.length === 0) return [{ ...part, functionResponse }];
    // Notes are texts, which no response has among its media.
    const within = this.#rules.mediaInResponses ? media.filter((one) => one.text === undefined) : [];
    const behind = media.filter((one) => !within.includes(one));
    // A part is JSON.
    const members =
      within.length === 0
        ? functionResponse
        : { ...functionResponse, parts: within as unknown as readonly JsonObject[] };
    return [{ ...part, functionResponse: members }, ...behind];
  }
}

function isMedia(value: JsonObject): value is JsonObject & Part {
  return isJsonObject(value["inlineData"]) || isJsonObject(value["fileData"]);
}

/** The kit's own marks and the client's; providers need none of them. */
function withoutMetadata(part: Part): Part {
  const { partMetadata, ...rest } = part;
  return partMetadata === undefined ? part : rest;
}

/** A part that says nothing: a blank text, or decorations alone. A signature without a text is data, and so are marks. */
function isEmpty(part: Part): boolean {
  if (part.thoughtSignature !== undefined || part.partMetadata !== undefined) return false;
  const { text, inlineData, fileData } = part;
  if (text !== undefined) return text.trim() === "";
  if (inlineData !== undefined) return (inlineData.data ?? "") === "";
  if (fileData !== undefined) return (fileData.fileUri ?? "") === "";
  return Object.entries(part).every(
    ([key, value]: [string, JsonValue | undefined]) => DECORATIONS.has(key) || value === undefined || value === null,
  );
}

function withoutDisplayName(part: Part): Part {
  const { inlineData, fileData } = part;
  if (inlineData?.displayName === undefined && fileData?.displayName === undefined) return part;
  const without = <Data extends Blob | FileData>({ displayName: _, ...data }: Data): Omit<Data, "displayName"> => data;
  return {
    ...part,
    ...(inlineData !== undefined && { inlineData: without(inlineData) }),
    ...(fileData !== undefined && { fileData: without(fileData) }),
  };
}

/** Appended to a conversation that does not end with the user, for models that only answer a user's message. */
export const CONTINUE_MESSAGE: Content = {
  role: "user",
  parts: [{ text: "Carry on with the task as you were instructed. If it is complete, give your final answer." }],
};
