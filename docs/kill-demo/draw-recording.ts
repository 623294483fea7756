/** A line of a terminal, and when it was printed. */
export interface RecordedLine {
  readonly text: string;
  readonly atMs: number;
}

const LINE_HEIGHT = 20;
const CHARACTER_WIDTH = 7.8;
const MARGIN = 16;
const MAX_CHARACTERS = 118;
/** How long the last picture stays before the recording begins again. */
const REST_MS = 6000;
/** Beginnings of lines that have a colour. */
const KINDS = ["kill", "check"] as const;

/** The lines as an SVG that shows each when it was printed, again and again; without animations it shows all. */
export function drawRecording(lines: readonly RecordedLine[]): string {
  const firstMs = lines[0]?.atMs ?? 0;
  const totalMs = (lines.at(-1)?.atMs ?? 0) - firstMs + REST_MS;
  const rows = lines.map(({ text, atMs }, index) => ({ text: cut(text), share: (atMs - firstMs) / totalMs, index }));
  const width = Math.ceil(2 * MARGIN + MAX_CHARACTERS * CHARACTER_WIDTH);
  const height = 2 * MARGIN + rows.length * LINE_HEIGHT;
  const frames = rows.map(({ share, index }) => {
    const percent = (100 * share).toFixed(2);
    return share === 0 ? "" : `@keyframes l${index}{0%,${percent}%{opacity:0}${percent}1%,100%{opacity:1}}`;
  });
  const texts = rows.map(({ text, share, index }) => {
    const style = share === 0 ? "" : ` style="animation:l${index} ${totalMs.toFixed(0)}ms step-end infinite"`;
    const kind = KINDS.find((name) => text.startsWith(name));
    return `<text x="${MARGIN}" y="${MARGIN + 14 + index * LINE_HEIGHT}"${kind === undefined ? "" : ` class="${kind}"`}${style}>${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>A process is killed in mid-answer, and the same stream continues</title>
<style>
text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#e6e6e6;white-space:pre}
.kill{fill:#ff8f87;font-weight:bold}
.check{fill:#79d6a3}
@media(prefers-reduced-motion:reduce){text{animation:none!important}}
${frames.filter((frame) => frame !== "").join("\n")}
</style>
<rect width="100%" height="100%" rx="8" fill="#15181d"/>
${texts.join("\n")}
</svg>
`;
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
