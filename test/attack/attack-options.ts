/** Time of the generated attacks together. */
export function attackSeconds(): number {
  return numberOf("ATTACK_SECONDS", 90);
}

function numberOf(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`${name} must be a whole number, not "${text}".`);
}
