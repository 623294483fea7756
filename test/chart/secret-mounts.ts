import { podOf } from "./pods.ts";
import { at, find, isMap, type KubernetesObject, listAt } from "./render.ts";

/** Sources of a pod's secrets: path in /run/fairlead, and Secret with key. */
export function secretsOf(objects: readonly KubernetesObject[], component: string): Readonly<Record<string, string>> {
  const volume = listAt(podOf(objects, component).spec, "volumes").find((one) => at(one, "name") === "secrets");
  const entries = listAt(volume, "projected.sources").flatMap((source) =>
    listAt(source, "secret.items").map((item) => [at(item, "path"), `${at(source, "secret.name")}/${at(item, "key")}`]),
  );
  return Object.fromEntries(entries);
}

/** The decoded texts of a Secret. */
export function dataOf(objects: readonly KubernetesObject[], name: string): Readonly<Record<string, string>> {
  const data = at(find(objects, "Secret", name), "data");
  const entries = isMap(data) ? Object.entries(data) : [];
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]));
}
