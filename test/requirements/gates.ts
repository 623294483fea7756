import { isNode, nameOf, type SyntaxNode, walk } from "#test/helpers/syntax.ts";

const NOT_RUN = new Set(["skip", "todo", "fails"]);
const ON_CONDITION = new Set(["skipIf", "runIf"]);
const TEST_FUNCTIONS = new Set(["it", "test", "describe", "suite"]);
/** Functions of helpers that declare tests under a condition. */
const GATED_FUNCTIONS = new Set(["describeOnRig"]);
const CONDITIONS = new Set(["IfStatement", "ConditionalExpression", "LogicalExpression", "SwitchStatement"]);

/** `it.skip.each([])` is `["it", "skip", "each"]`. */
export function calleeNames(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  if (callee.type === "CallExpression") return calleeNames(callee["callee"]);
  if (callee.type === "MemberExpression") return [...calleeNames(callee["object"]), nameOf(callee["property"]) ?? ""];
  return [nameOf(callee) ?? ""];
}

/** Whether a call declares tests that never run, or that are expected to fail. */
export function isNotRun(callee: readonly string[]): boolean {
  return TEST_FUNCTIONS.has(callee[0] ?? "") && callee.some((name) => NOT_RUN.has(name));
}

/** Names that stand for `describe.skip` under some condition: `const suite = missing ? describe.skip : describe`. */
export function namesOfGatedTests(tree: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    if (node.type !== "VariableDeclarator" || !isNode(node["init"])) return undefined;
    const name = nameOf(node["id"]);
    if (name !== undefined && mentionsGatedTest(node["init"])) names.add(name);
    return undefined;
  });
  return names;
}

/**
 * Whether a node inside a test file is reached only under a condition: inside a test with `skipIf`, `runIf` or the
 * option `skip`, inside a branch, or in a test whose body may return early or skip itself.
 */
export function isGated(node: SyntaxNode, ancestors: readonly SyntaxNode[], gatedNames: ReadonlySet<string> = new Set()): boolean {
  return ancestors.some((ancestor, index) => {
    if (CONDITIONS.has(ancestor.type)) return isBranch(ancestor, ancestors[index + 1] ?? node);
    if (ancestor.type === "CallExpression") return isGatingCall(ancestor, gatedNames);
    return isFunction(ancestor) && mayEndEarly(ancestor, node);
  });
}

/** The condition itself always runs; its branches may not. */
function isBranch(condition: SyntaxNode, child: SyntaxNode): boolean {
  const always = condition.type === "LogicalExpression" ? condition["left"] : (condition["test"] ?? condition["discriminant"]);
  return child !== always;
}

function isGatingCall(call: SyntaxNode, gatedNames: ReadonlySet<string>): boolean {
  const callee = calleeNames(call["callee"]);
  if (gatedNames.has(callee[0] ?? "") || GATED_FUNCTIONS.has(callee[0] ?? "")) return true;
  if (!TEST_FUNCTIONS.has(callee[0] ?? "")) return false;
  return callee.some((name) => ON_CONDITION.has(name)) || hasSkipOption(call);
}

function hasSkipOption(call: SyntaxNode): boolean {
  const options = Array.isArray(call["arguments"]) ? call["arguments"].filter(isNode) : [];
  return options.some((option) => option.type === "ObjectExpression" && Array.isArray(option["properties"]) && option["properties"].some((property) => isNode(property) && NOT_RUN.has(nameOf(property["key"]) ?? "")));
}

/** `if (missing) return;` or `context.skip()` beside the node, as a statement of the function's own body. */
function mayEndEarly(fn: SyntaxNode, node: SyntaxNode): boolean {
  const body = fn["body"];
  const statements = isNode(body) && Array.isArray(body["body"]) ? body["body"].filter(isNode) : [];
  return statements.some((statement) => !contains(statement, node) && (returnsEarly(statement) || skips(statement)));
}

function returnsEarly(statement: SyntaxNode): boolean {
  if (statement.type !== "IfStatement" || !isNode(statement["consequent"])) return false;
  const branch = statement["consequent"];
  const inner = Array.isArray(branch["body"]) ? branch["body"].filter(isNode) : [branch];
  return inner.some((part) => part.type === "ReturnStatement" && !isNode(part["argument"]));
}

function skips(statement: SyntaxNode): boolean {
  let found = false;
  walk(statement, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "CallExpression" && calleeNames(node["callee"]).at(-1) === "skip") found = true;
    return undefined;
  });
  return found;
}

function mentionsGatedTest(init: SyntaxNode): boolean {
  let found = false;
  walk(init, (node) => {
    if (isFunction(node)) return false;
    const names = node.type === "MemberExpression" ? calleeNames(node) : [];
    if (TEST_FUNCTIONS.has(names[0] ?? "") && names.some((name) => NOT_RUN.has(name) || ON_CONDITION.has(name))) found = true;
    return undefined;
  });
  return found;
}

function contains(outer: SyntaxNode, inner: SyntaxNode): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function isFunction(node: SyntaxNode): boolean {
  return /^(Arrow)?Function(Expression|Declaration)?/.test(node.type);
}
