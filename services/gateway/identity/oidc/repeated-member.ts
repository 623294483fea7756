/**
 * Whether an object in the JSON text has two members of one name. Parsers disagree on which of them counts, so such a
 * text can mean one thing to the code that checks it and another to the code that uses it. The text must be valid JSON.
 */
export function hasRepeatedMember(json: string): boolean {
  // The names of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let expectsName = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    if (character === "{" || character === ",") expectsName = open.at(-1) !== undefined;
    if (character !== '"') continue;
    const end = endOfString(json, at);
    if (expectsName) {
      const names = open.at(-1);
      // Two spellings of one name differ in their escapes.
      const name: string = JSON.parse(json.slice(at, end + 1));
      if (names?.has(name)) return true;
      names?.add(name);
      expectsName = false;
    }
    at = end;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
