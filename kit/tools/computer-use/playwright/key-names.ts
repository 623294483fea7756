/** Names that models use, and those of Playwright. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  alt: "Alt",
  backspace: "Backspace",
  capslock: "CapsLock",
  command: "Meta",
  control: "Control",
  controlormeta: "ControlOrMeta",
  ctrl: "Control",
  delete: "Delete",
  down: "ArrowDown",
  end: "End",
  enter: "Enter",
  escape: "Escape",
  home: "Home",
  insert: "Insert",
  left: "ArrowLeft",
  meta: "Meta",
  option: "Alt",
  pagedown: "PageDown",
  pageup: "PageUp",
  return: "Enter",
  right: "ArrowRight",
  shift: "Shift",
  space: "Space",
  tab: "Tab",
  up: "ArrowUp",
};

/** Playwright's name of a key. Names that are not known, such as `F5` or `a`, stay as they are. */
export function keyName(key: string): string {
  return KEY_NAMES[key.toLowerCase().replaceAll(/[\s_-]/g, "")] ?? key;
}
