import type { Content, FunctionResponse, Part } from "#kit/events/content.ts";

/** Gives each call of tools an id, so that its result is found: not all models do. */
export function withCallIds(content: Content, prefix: string): Content {
  const parts = content.parts?.map((part, index) => {
    const { functionCall } = part;
    if (functionCall === undefined || functionCall.id !== undefined) return part;
    return { ...part, functionCall: { ...functionCall, id: `${prefix}-call-${index}` } };
  });
  return { ...content, ...(parts && { parts }) };
}

/**
 * The conversation with each result directly after its call, as text models demand it: in a live conversation the user
 * speaks while tools run. A call that still runs has a result that states so.
 */
export function withPairedCalls(contents: readonly Content[]): Content[] {
  const results = new Map<string, FunctionResponse>();
  for (const { parts = [] } of contents)
    for (const { functionResponse } of parts)
      if (functionResponse?.id !== undefined) results.set(functionResponse.id, functionResponse);
  const called = new Set(contents.flatMap(callIdsOf));
  return contents.flatMap((content) => {
    const ids = callIdsOf(content);
    if (ids.length > 0)
      return [content, { role: "user", parts: (content.parts ?? []).flatMap((part) => resultOf(part, results)) }];
    const parts = content.parts?.filter(({ functionResponse }) => !called.has(functionResponse?.id ?? "")) ?? [];
    if (parts.length === content.parts?.length) return [content];
    return parts.length === 0 ? [] : [{ ...content, parts }];
  });
}

function callIdsOf({ parts = [] }: Content): readonly string[] {
  return parts.flatMap(({ functionCall }) => functionCall?.id ?? []);
}

function resultOf({ functionCall }: Part, results: ReadonlyMap<string, FunctionResponse>): readonly Part[] {
  if (functionCall?.id === undefined) return [];
  const { id, name } = functionCall;
  return [{ functionResponse: results.get(id) ?? { id, name, response: { status: "The call is still running." } } }];
}
