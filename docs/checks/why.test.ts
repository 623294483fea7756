import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const text = readFileSync(join(import.meta.dirname, "../why/README.md"), "utf8");
const compared = text.slice(text.indexOf("## Compared"), text.indexOf("## How to judge"));
const peers = compared.split(/^### /m).slice(1);

it.each(peers.map((peer) => [peer.split("\n", 1)[0], peer]))(
  "names sources with dates, and what is better there: %s",
  (_name, peer) => {
    const sources = [...peer.matchAll(/\]\(https:\/\/[^)]+\)[^\n]*/g)];
    expect(sources.length).toBeGreaterThan(0);
    for (const [source] of sources) expect(source).toMatch(/read 2026-1[12]|\(October 2026\)/);
    expect(peer).toContain("**Better there:**");
  },
);

it("compares with five others", () => {
  expect(peers).toHaveLength(5);
});
