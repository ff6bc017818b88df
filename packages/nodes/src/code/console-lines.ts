const LINES_MAX = 200;
const CHARACTERS_MAX = 65_536;
const LINE_MAX = 4_096;
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
      const kept = line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line;
      characters += kept.length;
      isFull = lines.length >= LINES_MAX || characters > CHARACTERS_MAX;
      lines.push(isFull ? LEFT_OUT : kept);
    },
  };
}
