/**
 * The text to answer with, or the tool to call without arguments if the agent has it; an answer without `when` always
 * matches.
 */
export interface DemoAnswer {
  readonly when?: Pick<RegExp, "test">;
  readonly text: string;
  readonly call?: string;
}

/** The texts of a demo model. `${…}` is replaced by a value from the request. */
export interface DemoScript {
  /** For messages that need no tool: the first entry whose `when` matches the agent's name, or else its instruction. */
  readonly answers: readonly DemoAnswer[];
  /** Tools that these words of the user select, in addition to the match of tool names and descriptions. */
  readonly triggers: readonly { readonly tool: RegExp; readonly when: RegExp }[];
  /** The text that reports a tool's answer; `${facts}` is the whole answer. */
  readonly report: string;
}

const CHAT =
  "You said: “${text}”. I am a script and not a language model: set a model with a key to get real answers.${tools}";

const GENERIC: DemoScript = {
  answers: [{ text: CHAT }],
  triggers: [
    { tool: /weather|forecast/, when: /\b(weather|temperature|rain(ing|y)?|sun(ny)?|forecast|warm|cold|umbrella)\b/i },
    { tool: /draw|paint|picture|image/, when: /\b(draw|paint|sketch|picture|image|logo|drawing|show me)\b/i },
    { tool: /time|clock/, when: /\b(time|clock|o'clock)\b/i },
  ],
  report: "Here is what I found. ${facts}",
};

const SCRIPTS: Readonly<Record<string, DemoScript>> = {
  weather: {
    ...GENERIC,
    answers: [{ text: "I tell the weather of a city. Ask me, for example: what is the weather in Paris?" }],
    triggers: [...GENERIC.triggers, { tool: /weather|forecast/, when: /^(and|what about|how about|compare)\b/i }],
    report: "The weather station says: ${facts}",
  },
  live: {
    ...GENERIC,
    answers: [{ text: "You said: “${text}” I am a script that talks in tones: ask me for the weather in a city." }],
    report: "The weather station says: ${facts}",
  },
  writer: {
    ...GENERIC,
    answers: [
      {
        when: /outlin|plan/i,
        text: "Outline for “${topic}”\n\n1. Why people care about ${topic}\n2. What one sees when one looks closely\n3. What stays with the reader",
      },
      {
        when: /edit|polish|revis|review/i,
        text: "# ${Topic}\n\nMost people pass ${topic} by. Look closely, and a small world opens: it has habits, quarrels and a sense of humour. What stays is the wish to look again.",
      },
      {
        when: /draft|writ/i,
        text: "Many people pass ${topic} by, and that is a pity. When one looks closely there is really quite a lot to see, and some of it is even funny. In the end one wants to look again.",
      },
      { text: "Give me a topic and I write about it, for example: a short text about lighthouses." },
    ],
  },
  research: {
    ...GENERIC,
    answers: [
      {
        when: /histor/i,
        text: "History of ${topic}: they are older than most people think, and were first built for a quite different purpose.",
      },
      {
        when: /econom/i,
        text: "Economy of ${topic}: the cost lies in keeping them up, and those who pay are seldom those who profit.",
      },
      {
        when: /cultur/i,
        text: "Culture of ${topic}: there are songs, paintings and at least one proverb about them.",
      },
      {
        when: /edit|report|together/i,
        text: "Report on ${topic}\n\nThree people looked at the same thing and saw three: an old tool, a standing bill and a source of songs. They agree that ${topic} will be with us for a long time.",
      },
    ],
  },
  desk: {
    ...GENERIC,
    answers: [
      {
        when: /librarian/i,
        text: "Sources on ${topic}: a handbook of 1902, a box of letters and ten years of account books.",
      },
      { when: /histor/i, text: "History of ${topic}: the handbook and the letters disagree by three years." },
      { when: /econom/i, text: "Economy of ${topic}: the account books show a loss in every second year." },
      { when: /check/i, text: "Checked: the letters are right about the date, and the losses are real." },
      {
        when: /edit/i,
        text: "Report on ${topic}\n\nThe letters give the true date, the account books the true cost. Nobody kept ${topic} going for the money.",
      },
      { text: "I wait for my turn." },
    ],
  },
  service: {
    ...GENERIC,
    answers: [
      { when: /parcel/i, text: "The parcel left the depot this morning and arrives tomorrow." },
      { when: /invoice/i, text: "The invoice counted one article twice. A corrected one is on its way." },
      { when: /return/i, text: "Put the article into its box: we collect it on Friday and return the money." },
    ],
  },
  slogan: {
    ...GENERIC,
    answers: [
      { when: criticismOf("rhythm"), text: "Third version: ${Topic} – warm at dawn, gone by noon." },
      {
        when: criticismOf("picture"),
        text: "Second version: ${Topic}, like the smell of morning that comes around the corner.",
      },
      { when: /third version/i, call: "exit_loop", text: "Nothing is left to criticise." },
      { when: /second version/i, text: "There is a picture now, but the rhythm limps: make it short." },
      { when: /first version/i, text: "Too plain: show a picture." },
      { text: "First version: ${Topic} is very good." },
    ],
  },
  artist: {
    ...GENERIC,
    answers: [{ text: "I draw pictures. Ask me, for example: draw a red circle." }],
    report: "The picture is ready. ${facts}",
  },
};

/**
 * Matches an instruction that quotes criticism with this word. A regular expression would search for the word after
 * each "criticism".
 */
function criticismOf(word: string): Pick<RegExp, "test"> {
  const start = "criticism: ";
  return {
    test: (instruction) => {
      const text = instruction.toLowerCase();
      const at = text.indexOf(start);
      return at >= 0 && text.includes(word, at + start.length);
    },
  };
}

/** The script of `demo/<persona>`; any name works. */
export function scriptOf(model: string): DemoScript {
  return SCRIPTS[model.slice(model.indexOf("/") + 1)] ?? GENERIC;
}
