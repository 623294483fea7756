interface SidebarGroup {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** The navigation of the site: the headings of the index, each with the pages that its table or list links, in their order. */
export function sidebarOf(index: string): readonly SidebarGroup[] {
  const groups = index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf("\n")),
      collapsed: false,
      items: [...section.matchAll(/^(?:\|[^|]*?|\d\. )\[([^\]]+)\]\(\.\/([^)]+)\)/gm)].map(
        ([, text = "", file = ""]) => ({
          text,
          link: `/${file.replace(/(?:index)?\.md$/, "")}`,
        }),
      ),
    }));
  return [
    ...groups.filter(({ items }) => items.length > 0),
    { text: "Code", collapsed: false, items: [{ text: "All exports", link: "/api/" }] },
  ];
}
