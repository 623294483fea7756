import { describe, expect, it } from "vitest";
import { rewriteIndex } from "./dev-ui-index.ts";

const PAGE = `<!doctype html>
<html><head>
<base href="./">
<link rel="icon" href="favicon.svg">
<link rel="preconnect" href="https://fonts.example">
<link rel="preconnect" href="https://static.example" crossorigin>
<style>@font-face{font-family:'Text';src:url(https://static.example/t.woff2) format('woff2');unicode-range:U+0-FF;}@font-face{font-family:'Own';src:url(own.woff2);}.icon{font-family:'Icons'}</style>
<link rel="stylesheet" href="./styles-ABCDEFGH.css" media="print" onload="this.media='all'"><noscript><link rel="stylesheet" href="./styles-ABCDEFGH.css"></noscript></head>
<body><script src="./main-ABCDEFGH.js" type="module"></script></body></html>`;

const TEXT_FACES = [
  "@font-face{font-family:'Google Sans';font-weight:400;src:local('Google Sans'),local('Roboto'),local('Segoe UI'),local('Helvetica Neue'),local('Arial'),local('Liberation Sans'),local('DejaVu Sans');}",
  "@font-face{font-family:'Google Sans';font-weight:600 700;src:local('Google Sans Bold'),local('Roboto Bold'),local('Segoe UI Bold'),local('HelveticaNeue-Bold'),local('Arial Bold'),local('Liberation Sans Bold'),local('DejaVu Sans Bold');}",
].join("");

describe("the developer UI's page", () => {
  it("gets this server's base and fonts, shows its text in a font of the system, has no other hosts, and needs no inline handler", () => {
    const page = rewriteIndex(PAGE, {
      base: "/team-a/dev-ui/",
      iconFonts: { Icons: "/team-a/dev-ui/fonts/icons.woff2" },
    });
    expect(page).toBe(`<!doctype html>
<html><head>
<base href="/team-a/dev-ui/">
<link rel="icon" href="favicon.svg">
<style>@font-face{font-family:'Own';src:url(own.woff2);}.icon{font-family:'Icons'}</style>
<link rel="stylesheet" href="./styles-ABCDEFGH.css"><noscript><link rel="stylesheet" href="./styles-ABCDEFGH.css"></noscript><style>${TEXT_FACES}@font-face{font-family:'Icons';font-style:normal;font-weight:400;font-display:block;src:url(/team-a/dev-ui/fonts/icons.woff2) format('woff2');}</style></head>
<body><script src="./main-ABCDEFGH.js" type="module"></script></body></html>`);
  });
});
