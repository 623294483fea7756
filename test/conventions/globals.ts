import type { SourceFile } from "#test/helpers/source-files.ts";
import { isNode, lineOf, nameOf, parse, type SyntaxNode, stringValue, walk } from "#test/helpers/syntax.ts";

/** A global that few files may use, under any name. */
interface Guard {
  readonly names: ReadonlySet<string>;
  readonly allowed: RegExp;
  readonly law: string;
}

const GUARDS: readonly Guard[] = [
  {
    names: new Set(["Date", "performance"]),
    allowed: /^(kit\/platform|bench|test|tooling|docs|deploy)\/|^cli\/serve\/when-idle\.ts$|\.test\.ts$/,
    law: "take a Clock as an argument",
  },
  {
    names: new Set(["randomUUID", "getRandomValues", "randomFillSync", "randomFill", "randomInt", "randomBytes"]),
    allowed:
      /^(kit\/platform|bench|test|tooling|docs|deploy)\/|^client\/api-path\.ts$|^ports\/api-keys\/secret-text\.ts$|^ports\/encryption\/random-bytes\.ts$|^services\/gateway\/sign-in\/cookie-seal\.ts$|\.test\.ts$/,
    law: "take an IdGenerator as an argument",
  },
  {
    names: new Set(["console"]),
    allowed: /^(cli|bench|docs|deploy)\//,
    law: "take a Logger as an argument",
  },
  {
    names: new Set(["env"]),
    allowed:
      /(^|\/)main\.ts$|^kit\/platform\/environment\.ts$|^(services\/shared|cli|bench|test|tooling|docs|deploy)\/|\.config\.ts$|\.test\.ts$/,
    law: "settings are read by main.ts and loadConfig, and passed on",
  },
];

/** Objects whose members are guarded. Members of other objects may have the same name. */
const OWNERS = new Set(["globalThis", "global", "self", "window", "process", "crypto"]);
const OWNER_MODULES = /^(node:)?(process|crypto|console|perf_hooks|timers)$/;

/** Files that may use members of `globalThis` which have no name: the dispatcher of Node's `fetch` is one. */
const MAY_COMPUTE_MEMBERS = /^kit\/models\/gemini\/google-genai\.ts$/;

/** Uses of time, chance, the console and the environment where they are not allowed, in any form. */
export function globalFaults(file: SourceFile): readonly string[] {
  const guards = GUARDS.filter((guard) => !guard.allowed.test(file.path));
  if (guards.length === 0) return [];
  const faults: string[] = [];
  const report = (node: SyntaxNode, name: string, law: string): void => {
    faults.push(`${file.path}:${lineOf(file, node)} reaches ${name}: ${law}.`);
  };
  const tree = parse(file);
  const own = declaredNames(tree);
  walk(tree, (node, ancestors) => {
    if (node.type === "Identifier" && own.has(nameOf(node) ?? "")) return undefined;
    for (const { name, at } of reachedNames(node, ancestors)) {
      const guard = guards.find(({ names }) => names.has(name));
      if (guard !== undefined) report(at, name, guard.law);
    }
    if (isOwnerAlias(node, ancestors) && !MAY_COMPUTE_MEMBERS.test(file.path))
      report(node, nameOf(node) ?? "", "use its members where they are, under no other name");
    return undefined;
  });
  return faults;
}

/** Names of the file's own variables and parameters, which hide the global. */
function declaredNames(tree: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (binding: unknown): void => {
    if (isNode(binding) && binding.type === "Identifier") names.add(nameOf(binding) ?? "");
  };
  walk(tree, (node) => {
    if (node.type === "VariableDeclarator") add(node["id"]);
    if (Array.isArray(node["params"])) for (const parameter of node["params"]) add(parameter);
    return undefined;
  });
  return names;
}

/** Names of globals, and members of their owners, that the node itself uses. */
function reachedNames(node: SyntaxNode, ancestors: readonly SyntaxNode[]): readonly { name: string; at: SyntaxNode }[] {
  switch (node.type) {
    case "Identifier": {
      const name = nameOf(node) ?? "";
      return name !== "env" && isReference(node, ancestors.at(-1)) ? [{ name, at: node }] : [];
    }
    case "MemberExpression": {
      const name = memberName(node);
      return name !== undefined && ownerOf(node["object"]) ? [{ name, at: node }] : [];
    }
    case "VariableDeclarator":
      return ownerOf(node["init"]) ? patternKeys(node["id"]) : [];
    case "ImportDeclaration":
      return OWNER_MODULES.test(stringValue(node["source"]) ?? "") ? importedNames(node) : [];
    default:
      return [];
  }
}

/** An owner that is given another name, passed on, or used with a computed member: these reach its members unseen. */
function isOwnerAlias(node: SyntaxNode, ancestors: readonly SyntaxNode[]): boolean {
  const parent = ancestors.at(-1);
  if (parent === undefined) return false;
  if (node.type === "ImportDefaultSpecifier" || node.type === "ImportNamespaceSpecifier") {
    return OWNER_MODULES.test(stringValue(parent["source"]) ?? "") && nameOf(node["local"]) !== "process";
  }
  if (node.type !== "Identifier" || !["globalThis", "process"].includes(nameOf(node) ?? "")) return false;
  if (!isReference(node, parent) || parent.type === "ImportDefaultSpecifier") return false;
  if (parent.type === "VariableDeclarator") return parent["init"] === node && !isPattern(parent["id"]);
  return parent.type !== "MemberExpression" || memberName(parent) === undefined;
}

/** `x.name` or `x["name"]`; undefined for `x[name]`. */
function memberName(node: SyntaxNode): string | undefined {
  return node["computed"] === true ? stringValue(node["property"]) : nameOf(node["property"]);
}

function isPattern(node: unknown): boolean {
  return isNode(node) && node.type === "ObjectPattern";
}

function ownerOf(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === "MemberExpression") return OWNERS.has(memberName(node) ?? "") && ownerOf(node["object"]);
  if (node.type === "TSAsExpression" || node.type === "ParenthesizedExpression") return ownerOf(node["expression"]);
  return node.type === "Identifier" && OWNERS.has(nameOf(node) ?? "");
}

/** Whether an identifier stands for a variable, and not for a key, a member, a declared name or a type. */
function isReference(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined) return true;
  if (
    parent.type.startsWith("TS") &&
    !["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"].includes(parent.type)
  )
    return false;
  if (parent.type === "MemberExpression") return parent["object"] === node || parent["computed"] === true;
  if (["Property", "PropertyDefinition", "MethodDefinition"].includes(parent.type)) {
    return parent["value"] === node || parent["computed"] === true;
  }
  return !["ImportSpecifier", "ExportSpecifier"].includes(parent.type);
}

function patternKeys(pattern: unknown): readonly { name: string; at: SyntaxNode }[] {
  if (!isNode(pattern) || pattern.type !== "ObjectPattern" || !Array.isArray(pattern["properties"])) return [];
  return pattern["properties"].filter(isNode).flatMap((at) => {
    const name = nameOf(at["key"]);
    return name === undefined ? [] : [{ name, at }];
  });
}

function importedNames(node: SyntaxNode): readonly { name: string; at: SyntaxNode }[] {
  if (!Array.isArray(node["specifiers"])) return [];
  return node["specifiers"].filter(isNode).flatMap((at) => {
    const name = nameOf(at["imported"]);
    return name === undefined ? [] : [{ name, at }];
  });
}
