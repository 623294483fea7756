import type { BlockCodeExecutor, Delimiters } from "#kit/core/code-executor.ts";
import type { Content, Part } from "../events/content.ts";

const LANGUAGE = "PYTHON";

/**
 * Returns the parts up to the first code to run, with that code as an executable code part at the end. The rest of the
 * answer was written without the code's result and is left out. Undefined if there is no such code. Code in thoughts is
 * not run.
 */
export function cutAtCode(parts: readonly Part[], delimiters: readonly Delimiters[]): readonly Part[] | undefined {
  for (const [index, part] of parts.entries()) {
    if (part.executableCode?.code !== undefined && parts[index + 1]?.codeExecutionResult === undefined)
      return parts.slice(0, index + 1);
    if (part.text === undefined || part.thought === true) continue;
    const block = firstBlock(part.text, delimiters);
    if (block === undefined) continue;
    const { before, code } = block;
    return [
      ...parts.slice(0, index),
      ...(before === "" ? [] : [{ text: before }]),
      { executableCode: { code, language: LANGUAGE } },
    ];
  }
  return undefined;
}

interface CodeBlock {
  readonly before: string;
  readonly code: string;
}

/**
 * The block that begins first, for any pair of delimiters. A block without an end does not count: its code may be cut
 * off.
 */
function firstBlock(text: string, delimiters: readonly Delimiters[]): CodeBlock | undefined {
  let first: { readonly at: number; readonly block: CodeBlock } | undefined;
  for (const [start, end] of delimiters) {
    const at = text.indexOf(start);
    if (at === -1 || (first !== undefined && first.at <= at)) continue;
    const from = at + start.length;
    const to = text.indexOf(end, from);
    if (to === -1 || text.slice(from, to).trim() === "") continue;
    first = { at, block: { before: text.slice(0, at), code: text.slice(from, to) } };
  }
  return first?.block;
}

/**
 * Earlier code and its results as text between the delimiters: a model that does not run code itself has no parts of
 * that kind.
 */
export function toDelimitedText(content: Content, executor: BlockCodeExecutor): Content {
  const parts = content.parts ?? [];
  const isResult = parts.some((part) => part.codeExecutionResult !== undefined);
  if (!isResult && !parts.some((part) => part.executableCode !== undefined)) return content;
  const [codeDelimiters] = executor.codeBlockDelimiters;
  const texts = parts.map((part): Part => {
    if (part.executableCode !== undefined) return delimited(part.executableCode.code ?? "", codeDelimiters);
    if (part.codeExecutionResult === undefined) return part;
    return delimited(part.codeExecutionResult.output ?? "", executor.executionResultDelimiters);
  });
  // A result is input of the model, not its output.
  return isResult && parts.every((part) => part.executableCode === undefined)
    ? { role: "user", parts: texts }
    : { ...content, parts: texts };
}

function delimited(text: string, [start, end]: Delimiters = ["", ""]): Part {
  return { text: start + text + end };
}
