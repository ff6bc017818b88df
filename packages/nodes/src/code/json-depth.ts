const QUOTE = 34;
const BACKSLASH = 92;

/** Returns the depth of nested lists and objects of a JSON text; 0 for a plain value. Linear, without recursion. */
export function jsonDepth(text: string): number {
  let deepest = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) {
      isInText = true;
    } else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 93 || code === 125) {
      depth -= 1;
    }
  }
  return deepest;
}
