/** Maximum length of a reason, in characters: it may quote what has no equivalent. */
const MAX_REASON = 300;

/** Something has no equivalent. The node that has it becomes a stub, and its note has the message. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
}

/** @throws UnsupportedError */
export function unsupported(message: string): never {
  throw new UnsupportedError(message.length > MAX_REASON ? `${message.slice(0, MAX_REASON)}…` : message);
}

/** Returns what a function returns; undefined where it finds something that has no equivalent. */
export function unlessUnsupported<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/**
 * Returns why a node cannot be converted. What it becomes may be no valid expression, or too deep to be parsed: that
 * concerns this node alone, too.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof UnsupportedError) return error.message;
  if (error instanceof SyntaxError || error instanceof RangeError) {
    return `it would become an expression that is not valid here: ${error.message}`;
  }
  throw error;
}
