import { expect, it } from "vitest";
import { linksByKeys, linksInOrder } from "./planner-description.ts";

it("links agents by the keys that one writes and another one reads, each once", () => {
  const metadata = [
    { agentName: "editor", inputKeys: ["facts", "facts", "text", "topic"], outputKey: "text" },
    { agentName: "web", inputKeys: [], outputKey: "facts" },
    { agentName: "books", inputKeys: [], outputKey: "facts" },
  ];
  expect(linksByKeys(metadata)).toEqual([
    { from: "web", to: "editor", key: "facts" },
    { from: "books", to: "editor", key: "facts" },
  ]);
});

it("has at most 1,000 links, however dense the graph is", () => {
  const agents = Array.from({ length: 2000 }, (_, index) => ({ name: `a${index}` }));
  expect(linksInOrder(agents)).toHaveLength(1000);
  expect(linksInOrder(agents.slice(0, 3))).toEqual([
    { from: "a0", to: "a1" },
    { from: "a1", to: "a2" },
  ]);
  const keys = agents.map(({ name }) => name);
  const dense = keys.map((key) => ({ agentName: key, inputKeys: keys, outputKey: key }));
  expect(linksByKeys(dense)).toHaveLength(1000);
});
