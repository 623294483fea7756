import { describe, expect, it } from "vitest";
import { measureInTurn } from "./measure-in-turn.ts";
import type { Contender } from "./servers/contender.ts";

/** A server process that gives its name as its list of apps. */
function namedServer(name: string): Contender {
  const script = `require("http").createServer((_, answer) => answer.end("${name}")).listen(process.argv[1], "127.0.0.1")`;
  return {
    name,
    command: { command: process.execPath, args: (port) => ["-e", script, String(port)], cwd: import.meta.dirname },
  };
}

async function nameOf(url: string): Promise<string> {
  return (await fetch(`${url}/list-apps`)).text();
}

describe.runIf(process.platform === "linux")("measureInTurn", () => {
  it("measures all contenders in each round, each in a fresh process, and returns medians", async () => {
    const urls = new Set<string>();
    const order: string[] = [];
    const medians = await measureInTurn(
      [namedServer("own"), namedServer("peer")],
      {
        measure: async ({ url }) => {
          urls.add(url);
          order.push(await nameOf(url));
          return { starts: order.length };
        },
      },
      3,
    );
    expect(order).toEqual(["own", "peer", "own", "peer", "own", "peer"]);
    expect(urls.size).toBe(6);
    expect(medians).toEqual(
      new Map([
        ["own", { starts: 3 }],
        ["peer", { starts: 4 }],
      ]),
    );
  });

  it("starts as many servers in each round as the scenario asks for", async () => {
    let starts = 0;
    const measure = async (): Promise<{ starts: number }> => {
      starts += 1;
      return { starts };
    };
    const medians = await measureInTurn([namedServer("own")], { startsPerRound: 5, measure }, 1);
    expect(medians).toEqual(new Map([["own", { starts: 3 }]]));
  });

  it("leaves a peer that fails out of this round and of later ones", async () => {
    const order: string[] = [];
    const measure = async ({ url }: { readonly url: string }): Promise<{ turns: number }> => {
      const name = await nameOf(url);
      order.push(name);
      if (name === "peer") throw new Error("connection refused");
      return { turns: 1 };
    };
    const medians = await measureInTurn([namedServer("own"), namedServer("peer")], { measure }, 2);
    expect(order).toEqual(["own", "peer", "own"]);
    expect(medians).toEqual(new Map([["own", { turns: 1 }]]));
  });

  it("fails if the first contender fails", async () => {
    const measure = (): Promise<never> => Promise.reject(new Error("connection refused"));
    await expect(measureInTurn([namedServer("own")], { measure }, 1)).rejects.toThrow("connection refused");
  });
});
