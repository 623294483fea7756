/** `: did you mean "x"?` with the known name nearest to the given one; empty if none is near. */
export function suggestion(name: string, known: Iterable<string>): string {
  if (name.length > MAX_COMPARED) return "";
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(normalise(name), normalise(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest === undefined ? "" : `: did you mean "${nearest}"?`;
}

const MAX_COMPARED = 64;

function normalise(name: string): string {
  return name
    .slice(0, MAX_COMPARED)
    .replaceAll(/[_\-\s]/g, "")
    .toLowerCase();
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
