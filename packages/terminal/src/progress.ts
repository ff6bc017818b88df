import { progress as bar } from '@clack/prompts';
import { printMessage } from './output.ts';

/** Shows progress on the standard error. */
export interface Progress {
  advance(by: number): void;
  /** Ends the display with a line about the result. */
  stop(line: string): void;
}

/** Without a terminal, a line is written after each further share of this size. */
const SHARE = 0.1;

/** Starts to show progress: a bar on a terminal, otherwise a line from time to time. */
export function showProgress(doing: string, total: number): Progress {
  return process.stderr.isTTY ? onTerminal(doing, total) : inLog(doing, total);
}

function onTerminal(doing: string, total: number): Progress {
  const shown = bar({ max: Math.max(1, total), output: process.stderr });
  let done = 0;
  shown.start(doing);
  return {
    advance(by) {
      // The bar accepts no more than its total; more rows than were counted may exist by now.
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
  let shown = 0;
  return {
    advance(by) {
      done += by;
      if (done - shown < total * SHARE) return;
      shown = done;
      printMessage(`${doing}: ${done} of ${Math.max(total, done)}`);
    },
    stop: printMessage,
  };
}
