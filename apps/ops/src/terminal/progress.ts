import { progress as bar } from '@clack/prompts';
import { tell } from './output.js';

/** Shows how far something is, on the standard error. */
export interface Progress {
  advance(by: number): void;
  /** Ends it with a line that says what came of it. */
  stop(line: string): void;
}

/** Without a terminal, a line whenever another share of this size is done. */
const SHARE = 0.1;

/** Begins to show progress: a bar on a terminal, else a line now and then. */
export function showProgress(doing: string, total: number): Progress {
  return process.stderr.isTTY ? onTerminal(doing, total) : inLog(doing, total);
}

function onTerminal(doing: string, total: number): Progress {
  const shown = bar({ max: Math.max(1, total), output: process.stderr });
  let done = 0;
  shown.start(doing);
  return {
    advance(by) {
      // The bar takes no more than its whole; there may be more by now than were counted.
      const step = Math.min(by, total - Math.min(done, total));
      done += by;
      shown.advance(step, `${doing}: ${done} of ${Math.max(total, done)}`);
    },
    stop: (line) => {
      shown.stop(line);
    },
  };
}

function inLog(doing: string, total: number): Progress {
  let done = 0;
  let told = 0;
  return {
    advance(by) {
      done += by;
      if (done - told < total * SHARE) return;
      told = done;
      tell(`${doing}: ${done} of ${Math.max(total, done)}`);
    },
    stop: tell,
  };
}
