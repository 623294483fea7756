// A call with an agent: microphone, transcript, and an answer that stops when you speak.
import { createClient } from "fairlead/client";

const query = new URLSearchParams(location.search);
const appName = query.get("app") ?? "live_desk";
const MICROPHONE_RATE = 16_000;
const ANSWER_RATE = 24_000;

const client = createClient({ baseUrl: query.get("server") ?? "http://localhost:8000" });
const byId = (id) => document.getElementById(id);
const status = document.querySelector("[role=status]");
const form = document.querySelector("form");

/** The current call; undefined between calls. */
let current;

byId("call").onclick = () => (current === undefined ? start() : current.call.close());
byId("mute").onclick = ({ currentTarget }) => {
  const isMuted = currentTarget.getAttribute("aria-pressed") !== "true";
  currentTarget.setAttribute("aria-pressed", String(isMuted));
  for (const track of current.microphone.getTracks()) track.enabled = !isMuted;
  if (isMuted) current.call.send({ audioStreamEnd: true });
};
form.onsubmit = (event) => {
  event.preventDefault();
  const { text } = form.elements;
  show("user", text.value, { isPartial: false });
  current.call.say(text.value);
  text.value = "";
};

async function start() {
  byId("call").disabled = true;
  try {
    const microphone = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true } });
    const session = await client.sessions.create({ appName, userId: "me" });
    const call = client.live(session, { onReconnect: () => (status.textContent = "Connecting again …") });
    const recording = await record(microphone, (bytes) => call.sendAudio(bytes));
    current = { call, microphone, recording, speaker: new Speaker() };
    setConnected(true);
    for await (const event of call) take(event, current.speaker);
    status.textContent = "The call has ended.";
  } catch (error) {
    status.textContent = error.message;
  } finally {
    stop();
    setConnected(false);
  }
}

function stop() {
  if (current === undefined) return;
  for (const track of current.microphone.getTracks()) track.stop();
  void current.recording.close();
  current.speaker.close();
  current = undefined;
}

function setConnected(isConnected) {
  byId("call").disabled = false;
  byId("call").textContent = isConnected ? "Hang up" : "Call";
  byId("mute").disabled = !isConnected;
  for (const element of form.elements) element.disabled = !isConnected;
  if (isConnected) status.textContent = "Connected. Speak, or type.";
}

/** What was said and what was answered: text, transcripts and audio. */
function take(event, speaker) {
  if (event.interrupted) speaker.clear();
  for (const { text, inlineData } of event.content?.parts ?? []) {
    if (inlineData?.mimeType?.startsWith("audio/")) speaker.play(inlineData.data);
    if (text) show(event.author === "user" ? "user" : "agent", text, { isPartial: event.partial === true });
  }
  const { inputTranscription, outputTranscription } = event;
  if (inputTranscription?.text) show("user", inputTranscription.text, { isPartial: event.partial === true });
  if (outputTranscription?.text) show("agent", outputTranscription.text, { isPartial: event.partial === true });
}

/** Partial texts follow each other; the complete one replaces them. */
function show(author, text, { isPartial }) {
  const items = [...byId("transcript").children];
  const open = items.findLast((item) => item.classList.contains("partial") && item.dataset.author === author);
  const item = open ?? byId("transcript").appendChild(document.createElement("li"));
  item.dataset.author = author;
  item.textContent = isPartial && open !== undefined ? item.textContent + text : text;
  item.className = isPartial ? `${author} partial` : author;
  item.scrollIntoView({ block: "end" });
}

/** Calls back with 16-bit PCM of the microphone, ten times a second. Returns what must be closed. */
async function record(microphone, onAudio) {
  const context = new AudioContext({ sampleRate: MICROPHONE_RATE });
  const worklet = `registerProcessor("pcm", class extends AudioWorkletProcessor {
    samples = [];
    process([[channel = []]]) {
      for (const sample of channel) this.samples.push(Math.max(-1, Math.min(1, sample)) * 0x7fff);
      if (this.samples.length >= ${MICROPHONE_RATE / 10}) this.port.postMessage(Int16Array.from(this.samples.splice(0)));
      return true;
    }
  });`;
  const address = URL.createObjectURL(new Blob([worklet], { type: "text/javascript" }));
  await context.audioWorklet.addModule(address);
  URL.revokeObjectURL(address);
  const node = new AudioWorkletNode(context, "pcm", { numberOfOutputs: 0 });
  node.port.onmessage = ({ data }) => onAudio(new Uint8Array(data.buffer));
  context.createMediaStreamSource(microphone).connect(node);
  return context;
}

/** Plays pieces of 16-bit PCM one after the other. */
class Speaker {
  #context = new AudioContext({ sampleRate: ANSWER_RATE });
  #playing = new Set();
  #endsAt = 0;

  play(base64) {
    const bytes = Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const samples = new Int16Array(bytes.buffer, 0, bytes.length >> 1);
    const buffer = this.#context.createBuffer(1, Math.max(1, samples.length), ANSWER_RATE);
    buffer.copyToChannel(
      Float32Array.from(samples, (sample) => sample / 0x8000),
      0,
    );
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    source.connect(this.#context.destination);
    source.onended = () => this.#playing.delete(source);
    this.#endsAt = Math.max(this.#endsAt, this.#context.currentTime);
    source.start(this.#endsAt);
    this.#endsAt += buffer.duration;
    this.#playing.add(source);
  }

  /** The user has begun to speak: what was not heard yet is dropped. */
  clear() {
    for (const source of this.#playing) source.stop();
    this.#playing.clear();
    this.#endsAt = 0;
  }

  close() {
    void this.#context.close();
  }
}
