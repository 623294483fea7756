// Reads the server's OpenAPI document and draws one form for each operation. Runs in the browser as it is.

const byId = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

const api = await (await fetch("openapi.json")).json();
byId("title").textContent = `${api.info.title} API`;
byId("description").textContent = api.info.description;
draw();
byId("filter").addEventListener("input", filter);

function draw() {
  const groups = new Map();
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? "other";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operationNode(method.toUpperCase(), path, operation));
    }
  }
  for (const tag of [...groups.keys()].sort()) {
    byId("operations").append(element("section", {}, element("h2", { textContent: tag }), ...groups.get(tag)));
  }
}

function filter() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of document.querySelectorAll("section")) {
    let shown = 0;
    for (const node of section.querySelectorAll("details.operation")) {
      const text = node.querySelector("summary").textContent.toLowerCase();
      node.hidden = !words.every((word) => text.includes(word));
      if (!node.hidden) shown += 1;
    }
    section.hidden = shown === 0;
  }
}

function operationNode(method, path, operation) {
  const summary = element(
    "summary",
    {},
    element("span", { className: "method", textContent: method }),
    element("span", { className: "path", textContent: path }),
    element("span", { className: "title", textContent: operation.summary }),
  );
  const details = element("details", { className: "operation" }, summary);
  // Inputs are created when their section is opened: hundreds of unused ones would only slow the page down.
  details.addEventListener("toggle", () => details.append(form(method, path, operation)), { once: true });
  return details;
}

function form(method, path, { description, parameters = [], requestBody, responses }) {
  const inputs = parameters.map((parameter) => ({
    parameter,
    input: element("input", { placeholder: parameter.schema?.type ?? "" }),
  }));
  const bodySchema = requestBody?.content["application/json"]?.schema;
  const body =
    bodySchema && element("textarea", { value: JSON.stringify(example(bodySchema), null, 2), spellcheck: false });
  const output = element("div");
  const request = () => toRequest({ method, path, inputs, body });

  const send = element("button", { textContent: "Send" });
  send.addEventListener("click", () => show(request(), output));
  const curl = element("button", { textContent: "As curl", className: "quiet" });
  curl.addEventListener("click", () => output.replaceChildren(element("pre", { textContent: toCurl(request()) })));

  return element(
    "div",
    { className: "inside" },
    ...(description ? [element("p", { textContent: description })] : []),
    ...inputs.map(({ parameter, input }) => labelled(parameter, input)),
    ...(body ? [element("strong", { textContent: "Body" }), body] : []),
    element("div", {}, send, curl),
    output,
    shapes(bodySchema, responses),
  );
}

function labelled({ name, in: place, required, description }, input) {
  const note = [place, required ? "required" : "", description].filter(Boolean).join(", ");
  return element("label", {}, element("span", {}, name, element("small", { textContent: note })), input);
}

function shapes(bodySchema, responses) {
  const known = Object.entries(responses).map(([status, { content }]) => [
    status,
    content?.["application/json"]?.schema,
  ]);
  const text = [["body", bodySchema], ...known]
    .filter(([, schema]) => schema)
    .map(([name, schema]) => `${name}: ${JSON.stringify(schema, null, 2)}`);
  if (text.length === 0) return "";
  return element(
    "details",
    {},
    element("summary", { textContent: "Schemas" }),
    element("pre", { textContent: text.join("\n\n") }),
  );
}

/** A value of the schema's form, for people to fill in. */
function example(schema) {
  const branch = schema.anyOf?.find(({ type }) => type !== "null");
  if (branch) return example(branch);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "object") {
    const wanted = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(wanted.map(([name, property]) => [name, example(property)]));
  }
  if (schema.type === "array") return schema.items ? [example(schema.items)] : [];
  return { string: "", integer: 0, number: 0, boolean: false }[schema.type] ?? null;
}

function toRequest({ method, path, inputs, body }) {
  let target = path.slice(1);
  const query = new URLSearchParams();
  const headers = {};
  for (const { parameter, input } of inputs) {
    if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value !== "" && parameter.in === "query") query.append(parameter.name, input.value);
    else if (input.value !== "") headers[parameter.name] = input.value;
  }
  if (body) headers["content-type"] = "application/json";
  const url = new URL(query.size > 0 ? `${target}?${query}` : target, document.baseURI).href;
  return { url, method, headers, ...(body && { body: body.value }) };
}

function toCurl({ url, method, headers, body }) {
  const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const flags = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  if (body) flags.push(`-d ${quote(body)}`);
  return ["curl", "-N", "-X", method, ...flags, quote(url)].join(" ");
}

async function show({ url, ...init }, output) {
  const status = element("p", { textContent: "…" });
  const text = element("pre");
  output.replaceChildren(status, text);
  const start = performance.now();
  try {
    const response = await fetch(url, init);
    const type = response.headers.get("content-type") ?? "";
    status.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - start)} ms · ${type}`;
    for await (const chunk of readText(response)) text.append(chunk);
    if (type.includes("json")) text.textContent = JSON.stringify(JSON.parse(text.textContent), null, 2);
  } catch (error) {
    status.textContent = String(error);
  }
}

/** As it arrives, so that streams can be watched. */
async function* readText(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let step = await reader?.read(); step && !step.done; step = await reader.read()) yield step.value;
}
