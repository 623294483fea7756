import type { Gateway } from "#services/gateway/add-routes.ts";

export interface PrintedRoute {
  readonly method: string;
  readonly url: string;
}

/** The routes of a server, without those that the framework adds. */
export function routesOf(gateway: Pick<Gateway, "printRoutes">): readonly PrintedRoute[] {
  const path: string[] = [];
  return gateway
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", text = ""] = /^([\s│]*)[├└]── (.*)$/.exec(line) ?? [];
      if (text === "") return [];
      const [part = "", methods = ""] = text.split(" (");
      path.splice(indent.length / 4, path.length, part);
      const url = path.join("").replace(/\/?\*$/, "/*");
      const names = methods.replace(")", "").split(", ");
      return names.filter((name) => !["", "HEAD", "OPTIONS"].includes(name)).map((method) => ({ method, url }));
    });
}
