/**
 * The problem of content from third-party code, for that code's author; undefined if there is none. Content that does
 * not match its type would break every later turn of its session, so it is never stored.
 */
export function contentProblem(content: unknown): string | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content !== "object") return `content is a ${typeof content}, not an object`;
  const { role, parts }: { role?: unknown; parts?: unknown } = content;
  if (role !== "model" && role !== "user" && role !== undefined)
    return `content.role is ${JSON.stringify(role)}, neither "model" nor "user"`;
  if (parts === undefined || parts === null) return undefined;
  if (!Array.isArray(parts)) return "content.parts is not a list";
  for (let index = 0; index < parts.length; index += 1) {
    const problem = partProblem(parts[index]);
    if (problem !== undefined) return `content.parts[${index}]${problem}`;
  }
  return undefined;
}

/** The members of a part that code reads without checks. */
interface UncheckedPart {
  readonly text?: unknown;
  readonly functionCall?: unknown;
  readonly functionResponse?: unknown;
  readonly inlineData?: unknown;
  readonly fileData?: unknown;
  readonly executableCode?: unknown;
  readonly codeExecutionResult?: unknown;
}

function partProblem(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return " is not an object";
  const { text, functionCall, functionResponse, inlineData, fileData }: UncheckedPart = part;
  const { executableCode, codeExecutionResult }: UncheckedPart = part;
  if (text !== undefined && typeof text !== "string") return ".text is not a text";
  // Nearly all parts are text, of which there may be one for each word of an answer.
  const isText =
    functionCall === undefined &&
    functionResponse === undefined &&
    inlineData === undefined &&
    fileData === undefined &&
    executableCode === undefined &&
    codeExecutionResult === undefined;
  if (isText) return undefined;
  if (!isAbsentOrObject(functionCall)) return ".functionCall is not an object";
  if (!isAbsentOrObject(functionResponse)) return ".functionResponse is not an object";
  if (!isNamedByText(functionCall)) return ".functionCall.name is not a text";
  if (!isNamedByText(functionResponse)) return ".functionResponse.name is not a text";
  if (!isAbsentOrObject(inlineData)) return ".inlineData is not an object";
  if (!isAbsentOrObject(fileData)) return ".fileData is not an object";
  if (!isAbsentOrObject(executableCode)) return ".executableCode is not an object";
  return isAbsentOrObject(codeExecutionResult) ? undefined : ".codeExecutionResult is not an object";
}

function isAbsentOrObject(value: unknown): boolean {
  return value === undefined || (typeof value === "object" && value !== null);
}

function isNamedByText(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("name" in value)) return true;
  return value.name === undefined || typeof value.name === "string";
}
