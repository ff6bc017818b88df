const MAX_LINES = 200;
const MAX_CHARACTERS = 65_536;
const MAX_LINE = 4_096;
const LEFT_OUT = '… further lines are left out';

/** Collects the console output of a script: up to 200 lines of 4,096 characters, 64 KiB of characters in total. */
export interface ConsoleLines {
  readonly lines: readonly string[];
  /** Whether further lines are left out. */
  isFull(): boolean;
  add(line: string): void;
}

/** Opens an empty console. */
export function createConsoleLines(): ConsoleLines {
  const lines: string[] = [];
  let characters = 0;
  let isFull = false;
  return {
    lines,
    isFull: () => isFull,
    add(line) {
      if (isFull) return;
      const kept = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
      characters += kept.length;
      isFull = lines.length >= MAX_LINES || characters > MAX_CHARACTERS;
      lines.push(isFull ? LEFT_OUT : kept);
    },
  };
}
