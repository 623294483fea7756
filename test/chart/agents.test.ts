import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { environmentOf, podOf, podsOf } from "./pods.ts";
import { CHART, find, listAt, render, renderText, tools } from "./render.ts";

const definitions = { Front_desk: { "root_agent.yaml": "name: Front_desk\n", "helper.yaml": "name: helper\n" } };

describe("agents of the image", () => {
  it("are not served unless the values name their folder", () => {
    const values: unknown = parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
    expect(values).toMatchObject({ agents: { imageFolder: "", definitions: {}, configMaps: [] } });
  });

  it("of tests are in a folder of their own", () => {
    const dockerfile = readFileSync(join(REPOSITORY_ROOT, "deploy/Dockerfile"), "utf8");
    expect(dockerfile).toContain("cp -r agents test-agents && rm -r agents/bench");
  });
});

describe.skipIf(tools.helm === undefined)("agents", () => {
  it("of values are whole folders beside those of the image, so that they change while runners work", async () => {
    const objects = await render({ agents: { definitions } });
    const config = objects.find(({ kind }) => kind === "ConfigMap");
    expect(config?.["data"]).toEqual(definitions.Front_desk);
    const { spec, containers } = podOf(objects, "runner");
    const name = "agent-front-desk-7e1f4e23";
    expect(listAt(spec, "volumes")).toContainEqual({ name, configMap: { name: config?.metadata.name } });
    expect(listAt(containers[0], "volumeMounts")).toContainEqual({
      name,
      mountPath: "/app/agents/Front_desk",
      readOnly: true,
    });
    expect(environmentOf(podOf(objects, "runner"))["AGENTS_DIR"]).toBe("/app/agents");
  });

  it("that change replace no pod", async () => {
    const runner = async (text: string) =>
      find(
        await render({ agents: { definitions: { a: { "root_agent.yaml": text } } } }),
        "Deployment",
        "agents-fairlead-runner",
      );
    expect(await runner("name: a")).toEqual(await runner("name: b"));
  });

  it("whose names differ by case or underscore alone do not meet", async () => {
    const file = { "root_agent.yaml": "" };
    const objects = await render({ agents: { definitions: { a_b: file, A_B: file } } });
    const names = objects.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name);
    expect(new Set(names.filter((name) => name.includes("-agent-"))).size).toBe(2);
  });

  it("come from ConfigMaps that are there, and from them alone without a folder in the image", async () => {
    const objects = await render({ agents: { imageFolder: "", configMaps: [{ app: "desk", configMap: "mine" }] } });
    const { spec, containers } = podOf(objects, "runner");
    expect(JSON.stringify(spec["volumes"])).toContain('"configMap":{"name":"mine"}');
    expect(JSON.stringify(containers[0]?.["volumeMounts"])).toContain('"mountPath":"/agents/desk"');
    expect(environmentOf(podOf(objects, "runner"))["AGENTS_DIR"]).toBe("/agents");
  });

  it("are mounted nowhere but in runners", async () => {
    for (const { owner, spec } of podsOf(await render({ agents: { definitions } }))) {
      expect(JSON.stringify(spec).includes("agent-front-desk"), owner).toBe(owner.endsWith("-runner"));
    }
  });
});

describe.skipIf(tools.helm === undefined)("releases", () => {
  it("in one namespace have no object, pod or address in common", async () => {
    const scenario = "kind";
    const [one, two] = await Promise.all([
      render({}, { scenario, release: "one" }),
      render({}, { scenario, release: "two" }),
    ]);
    const names = (objects: typeof one) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names(one).filter((name) => names(two).includes(name))).toEqual([]);
    expect(await renderText({}, { scenario, release: "one" })).not.toContain("two-fairlead");
    for (const object of one.filter(({ kind }) => kind === "NetworkPolicy" || kind === "Service")) {
      expect(JSON.stringify(object["spec"]), object.metadata.name).not.toContain('"app.kubernetes.io/instance":"two"');
    }
  });

  it("in one Redis and one database keep their data apart", async () => {
    const settings = async (release: string, namespace: string) => {
      const objects = await render({}, { release, namespace });
      const { FIRESTORE_ROOT } = environmentOf(podOf(objects, "session"));
      return { FIRESTORE_ROOT, REDIS_KEY_PREFIX: environmentOf(podOf(objects, "runner"))["REDIS_KEY_PREFIX"] };
    };
    expect(await settings("one", "team")).toEqual({
      FIRESTORE_ROOT: "one-fairlead",
      REDIS_KEY_PREFIX: "team:one-fairlead",
    });
    expect(await settings("two", "other")).toEqual({
      FIRESTORE_ROOT: "two-fairlead",
      REDIS_KEY_PREFIX: "other:two-fairlead",
    });
  });

  it("are named by the release alone when that says what it is, and by an override", async () => {
    const nameOf = async (values: object, release: string) =>
      (await render(values as Record<string, unknown>, { release }))
        .filter(({ kind }) => kind === "Deployment")
        .map(({ metadata }) => metadata.name)
        .sort()[0];
    expect(await nameOf({}, "fairlead")).toBe("fairlead-artifact");
    expect(await nameOf({ fullnameOverride: "ap" }, "x")).toBe("ap-artifact");
    expect(await nameOf({}, "a".repeat(53))).toBe(`${"a".repeat(40)}-artifact`);
  });

  it("carry the user's own objects, with templates", async () => {
    const objects = await render({
      extraObjects: [
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-text",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "{{ .Release.Name }}-map" } },
      ],
      commonLabels: { team: "x" },
      commonAnnotations: { owner: "y" },
    });
    expect(objects.filter(({ metadata }) => /^agents-(text|map)$/.test(metadata.name))).toHaveLength(2);
    expect(find(objects, "Deployment", "agents-fairlead-gateway").metadata).toMatchObject({
      labels: { team: "x" },
      annotations: { owner: "y" },
    });
  });
});
