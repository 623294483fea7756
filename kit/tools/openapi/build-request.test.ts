import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { buildRequest } from "./build-request.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { operationsOf, type RestOperation } from "./rest-operation.ts";

const COLORS = { text: "blue", list: ["blue", "black", "brown"], map: { R: 100, G: 200, B: 150 } };

async function operationWith(path: string, operation: JsonObject, item: JsonObject = {}): Promise<RestOperation> {
  const document = await OpenApiDocument.read({
    openapi: "3.1.0",
    servers: [{ url: "https://api.example/v1" }],
    paths: { [path]: { ...item, post: { operationId: "op", ...operation } } },
  });
  const [only] = operationsOf(document, undefined).operations;
  return only ?? expect.unreachable();
}

/** What is sent of one parameter. */
async function sent(parameter: JsonObject, value: JsonValue): Promise<string> {
  const path = parameter["in"] === "path" ? "/x/{color}" : "/x";
  const operation = await operationWith(path, { parameters: [{ name: "color", ...parameter }] });
  const { url, query, cookies, headers } = buildRequest(operation, { color: value });
  if (parameter["in"] === "path") return url.pathname.slice("/v1/x/".length);
  if (parameter["in"] === "header") return headers.get("color") ?? "";
  return parameter["in"] === "cookie" ? cookies.join("; ") : query.join("&");
}

describe("the styles of parameters", () => {
  it.each([
    ["path", "matrix", false, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
    ["path", "matrix", true, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
    ["path", "label", false, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
    ["path", "label", true, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
    ["path", "simple", false, "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["path", "simple", true, "blue", "blue,black,brown", "R=100,G=200,B=150"],
    ["header", "simple", false, "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["header", "simple", true, "blue", "blue,black,brown", "R=100,G=200,B=150"],
    ["query", "form", false, "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
    ["query", "form", true, "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
    ["cookie", "form", false, "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
    ["cookie", "form", true, "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"],
    [
      ...["query", "spaceDelimited", false, "color=blue"],
      ...["color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
    ],
    [
      ...["query", "pipeDelimited", false, "color=blue"],
      ...["color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
    ],
    [
      ...["query", "deepObject", true, "color=blue"],
      ...["color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    ],
  ])("write a text, a list and a map in %s as %s, explode: %j", async (place, style, explode, text, list, map) => {
    const parameter = { in: place, style, explode, ...(place === "path" && { required: true }) } as JsonObject;
    expect(await sent(parameter, COLORS.text)).toBe(text);
    expect(await sent(parameter, COLORS.list)).toBe(list);
    expect(await sent(parameter, COLORS.map)).toBe(map);
  });

  it.each([
    ["path", "blue,black,brown"],
    ["header", "blue,black,brown"],
    ["query", "color=blue&color=black&color=brown"],
    ["cookie", "color=blue; color=black; color=brown"],
  ])("have the usual ones in %s", async (place, expected) => {
    expect(await sent({ in: place, ...(place === "path" && { required: true }) }, COLORS.list)).toBe(expected);
  });

  it("encode what has a meaning in a query, also where reserved characters are allowed", async () => {
    const value = "a/b?c:d@e,f;g=h&i#j+k[l]%20é";
    expect(await sent({ in: "query", allowReserved: true }, value)).toBe(
      "color=a/b?c:d@e,f;g=h%26i%23j%2Bk%5Bl%5D%2520%C3%A9",
    );
    expect(await sent({ in: "query" }, value)).toBe(`color=${encodeURIComponent(value)}`);
    expect(await sent({ in: "query", style: "deepObject", explode: true, allowReserved: true }, { a: "x/y" })).toBe(
      "color%5Ba%5D=x/y",
    );
  });

  it("write a value as JSON if the parameter has JSON as its content", async () => {
    const content = { "application/json": { schema: { type: "object" } } };
    expect(await sent({ in: "query", content }, { a: [1] })).toBe("color=%7B%22a%22%3A%5B1%5D%7D");
    expect(await sent({ in: "header", content }, { a: [1] })).toBe('{"a":[1]}');
  });

  it("let a parameter of the operation replace that of its path with the same name and place", async () => {
    const operation = await operationWith(
      "/x",
      { parameters: [{ name: "a", in: "query", style: "pipeDelimited" }] },
      {
        parameters: [
          { name: "a", in: "query" },
          { name: "a", in: "header" },
        ],
      },
    );
    const { query, headers } = buildRequest(operation, { a: ["1", "2"], a_header: "h" });
    expect([query, headers.get("a")]).toEqual([["a=1%7C2"], "h"]);
  });

  it("give arguments names that all models accept", async () => {
    const parameters = ["$top", "filter[name]", "filter_name_", "x".repeat(90)].map((name) => ({ name, in: "query" }));
    const operation = await operationWith("/x", { parameters });
    expect(operation.parameters.map(({ argument }) => argument)).toEqual([
      ...["top", "filter_name", "filter_name_", `${"x".repeat(55)}_1274244d`],
    ]);
    expect(buildRequest(operation, { top: 5, filter_name: "a" }).query).toEqual(["%24top=5", "filter%5Bname%5D=a"]);
  });
});

describe("servers", () => {
  it.each<[JsonObject, JsonObject, string]>([
    [{ servers: [] }, { servers: [] }, "https://api.example/v1/x"],
    [{}, { servers: [{ url: "wss://live.example" }, { url: "//op.example" }] }, "https://op.example/x"],
    [
      {},
      { servers: [{ url: "https://a.example:{port}", variables: { port: { default: 8443 } } }] },
      "https://a.example:8443/x",
    ],
    [
      {},
      { servers: [{ url: "https://{e}.example", variables: { e: { enum: ["eu", "us"] } } }] },
      "https://eu.example/x",
    ],
    [{}, {}, "https://api.example/v1/x"],
    [{ servers: [{ url: "https://path.example" }] }, {}, "https://path.example/x"],
    [
      { servers: [{ url: "https://path.example" }] },
      { servers: [{ url: "http://op.example/a/" }] },
      "http://op.example/a/x",
    ],
    [
      {},
      {
        servers: [{ url: "https://{place}.example/{v}", variables: { place: { default: "eu" }, v: { default: "2" } } }],
      },
      "https://eu.example/2/x",
    ],
  ])("of the path %j and the operation %j", async (item, operation, address) => {
    expect(buildRequest(await operationWith("/x", operation, item), {}).url.href).toBe(address);
  });
});

describe("bodies", () => {
  const bodyWith = (content: JsonObject): JsonObject => ({ requestBody: { content } });
  const FIELDS: JsonObject = {
    type: "object",
    properties: {
      note: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      place: { type: "object" },
      picture: { type: "string", format: "binary" },
      scans: { type: "array", items: { type: "string", contentMediaType: "image/png" } },
    },
  };

  it("sends a form with lists as several fields and maps as JSON", async () => {
    const operation = await operationWith("/x", bodyWith({ "application/x-www-form-urlencoded": { schema: FIELDS } }));
    const { body, headers } = buildRequest(operation, {
      body: { note: "a&b", tags: ["x", "y"], place: { city: "Rom" } },
    });
    expect(body).toBe("note=a%26b&tags=x&tags=y&place=%7B%22city%22%3A%22Rom%22%7D");
    expect(headers.get("content-type")).toBe("application/x-www-form-urlencoded");
  });

  it("sends parts: texts as they are, maps as JSON, and files from base64, with the types of the description", async () => {
    const encoding = { picture: { contentType: "image/png, image/jpeg" }, note: { contentType: "text/markdown" } };
    const operation = await operationWith("/x", bodyWith({ "multipart/form-data": { schema: FIELDS, encoding } }));
    const bytes = Buffer.from("%PNG").toString("base64");
    const { body, headers } = buildRequest(operation, {
      body: { note: "n", tags: ["x", "y"], place: { city: "Rom" }, picture: bytes, scans: [bytes, bytes] },
    });
    const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(headers.get("content-type") ?? "") ?? [];
    const parts = Buffer.from(body as Uint8Array)
      .toString("latin1")
      .split(`--${boundary}`)
      .slice(1, -1);
    expect(parts.map((part) => part.trim().split("\r\n"))).toEqual([
      ['Content-Disposition: form-data; name="note"', "Content-Type: text/markdown", "", "n"],
      ['Content-Disposition: form-data; name="tags"', "", "x"],
      ['Content-Disposition: form-data; name="tags"', "", "y"],
      ['Content-Disposition: form-data; name="place"', "Content-Type: application/json", "", '{"city":"Rom"}'],
      ['Content-Disposition: form-data; name="picture"; filename="picture.txt"', "Content-Type: image/png", "", "%PNG"],
      ['Content-Disposition: form-data; name="scans"; filename="scans.txt"', "Content-Type: text/plain", "", "%PNG"],
      ['Content-Disposition: form-data; name="scans"; filename="scans.txt"', "Content-Type: text/plain", "", "%PNG"],
    ]);
    // The platform reads the same parts.
    const form = await new Response(body ?? null, {
      headers: { "content-type": headers.get("content-type") ?? "" },
    }).formData();
    expect([...form].map(([name, part]) => [name, typeof part === "string"])).toEqual([
      ...[
        ["note", true],
        ["tags", true],
        ["tags", true],
        ["place", true],
      ],
      ...[
        ["picture", false],
        ["scans", false],
        ["scans", false],
      ],
    ]);
    expect(() => buildRequest(operation, { body: { picture: "no base64!" } })).toThrow("body.picture: the bytes");
  });

  it.each([
    [["application/xml", "text/plain", "multipart/form-data", "application/json"], "application/json"],
    [
      ["application/xml", "text/plain", "application/vnd.api+json; charset=utf-8"],
      "application/vnd.api+json; charset=utf-8",
    ],
    [["text/plain", "multipart/form-data"], "multipart/form-data"],
    [["application/octet-stream", "text/csv"], "application/octet-stream"],
    [["application/xml", "text/csv"], "text/csv"],
    [["application/json-patch+json", "application/merge-patch+json"], "application/merge-patch+json"],
    [
      ["application/apply-patch+yaml", "application/strategic-merge-patch+json"],
      "application/strategic-merge-patch+json",
    ],
    [["application/cbor", "application/yaml"], "application/yaml"],
    [["image/png"], "image/png"],
    [["*/*"], "application/json"],
  ])("of several types %j takes %s", async (types, chosen) => {
    const operation = await operationWith("/x", bodyWith(Object.fromEntries(types.map((type) => [type, {}]))));
    expect(operation.body?.mediaType).toBe(chosen);
  });

  it.each<[string, JsonObject, JsonValue, string]>([
    [
      "deepObject",
      { style: "deepObject", explode: true },
      { a: { b: [1, 2] }, c: null },
      "f[a][b][]=1&f[a][b][]=2&f[c]=",
    ],
    ["a list of objects", { style: "deepObject" }, [{ a: 1 }, { a: [2] }], "f[0][a]=1&f[1][a][]=2"],
    ["a list that is not exploded", { explode: false }, ["x", "y"], "f=x,y"],
    ["a list with spaces", { style: "spaceDelimited", explode: false }, ["x", "y"], "f=x y"],
    ["a list with pipes", { style: "pipeDelimited" }, ["x", "y"], "f=x|y"],
    ["members beside each other", { style: "form" }, { a: 1, b: 2 }, "a=1&b=2"],
    ["members behind each other", { style: "form", explode: false }, { a: 1, b: 2 }, "f=a,1,b,2"],
    ["reserved characters", { allowReserved: true }, "a/b:c", "f=a/b:c"],
    ["a list as JSON", { contentType: "application/json" }, ["x"], 'f=["x"]'],
    ["a text whose type is JSON", { contentType: "application/json" }, "x", "f=x"],
    ["a number whose type is JSON", { contentType: "application/vnd.api+json" }, 7, "f=7"],
    ["an unknown style", { style: "simple" }, ["x", "y"], "f=x&f=y"],
    ["nothing", {}, null, "f="],
    ["an empty list", { style: "deepObject" }, [], ""],
  ])("writes a field of a form by its encoding: %s", async (_, encoding, value, expected) => {
    verifies("tools:openapi:breadth");
    const content = { "application/x-www-form-urlencoded": { schema: { type: "object" }, encoding: { f: encoding } } };
    const { body } = buildRequest(await operationWith("/x", bodyWith(content)), { body: { f: value } });
    expect(decodeURIComponent(String(body))).toBe(expected);
  });

  it("writes parts with the headers and styles that the description fixes, and files with the type that they have", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");
    const encoding = {
      meta: { contentType: "application/json", headers: { "X-Kind": { schema: { const: "meta" } }, "X-Free": {} } },
      tags: { style: "deepObject", explode: true },
    };
    const schema = { allOf: [{ type: "object", properties: { file: { type: "string", format: "binary" } } }] };
    const operation = await operationWith("/x", bodyWith({ "multipart/form-data": { schema, encoding } }));
    const { body } = buildRequest(operation, { body: { meta: ["a"], tags: { b: "c" }, file: png, 'na"me': "x" } });
    const lines = Buffer.from(body as Uint8Array)
      .toString("latin1")
      .split("\r\n");
    expect(lines.filter((line) => line !== "" && !line.startsWith("--"))).toEqual([
      ...['Content-Disposition: form-data; name="meta"', "Content-Type: application/json", "X-Kind: meta", '["a"]'],
      ...['Content-Disposition: form-data; name="tags[b]"', "c"],
      ...[
        'Content-Disposition: form-data; name="file"; filename="file.png"',
        "Content-Type: image/png",
        "\x89PNG",
        "\x1a\n",
      ],
      ...['Content-Disposition: form-data; name="na%22me"', "x"],
    ]);
  });

  it.each<[string, JsonObject, JsonValue, string]>([
    ["application/xml", { type: "object" }, "<a/>", "<a/>"],
    ["application/soap+xml", {}, "<a/>", "<a/>"],
    ["application/yaml", {}, { a: 1 }, '{"a":1}'],
    ["application/yaml", {}, "a: 1", "a: 1"],
    ["application/x-ndjson", {}, [{ a: 1 }, { b: 2 }], '{"a":1}\n{"b":2}\n'],
    ["application/x-ndjson", {}, "{}", "{}\n"],
    ["application/vnd.api+json", {}, { a: 1 }, '{"a":1}'],
    ["application/merge-patch+json", {}, { a: null }, '{"a":null}'],
    ["application/graphql", {}, "{ a }", "{ a }"],
    ["application/x-unknown", { type: "string" }, "as it is", "as it is"],
    ["application/x-unknown", { type: "string", format: "binary" }, "AA==", "\0"],
    ["image/*", {}, "AA==", "\0"],
    ["application/vnd.ms-excel", {}, "AA==", "\0"],
  ])("sends %s with the schema %j", async (type, schema, value, expected) => {
    verifies("tools:openapi:breadth");
    const operation = await operationWith("/x", bodyWith({ [type]: { schema } }));
    const { body, headers } = buildRequest(operation, { body: value });
    expect(Buffer.from(body ?? "").toString("utf8")).toBe(expected);
    expect(headers.get("content-type")).toBe(type.includes("*") ? "application/octet-stream" : type);
  });

  it("sends bytes from base64, and text as it is", async () => {
    const bytes = await operationWith("/x", bodyWith({ "application/octet-stream": {} }));
    expect(buildRequest(bytes, { body: "AAEC" }).body).toEqual(Buffer.from([0, 1, 2]));
    const text = await operationWith("/x", bodyWith({ "text/csv": {} }));
    expect(buildRequest(text, { body: "a,b" }).body).toBe("a,b");
  });
});
