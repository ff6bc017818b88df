import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, WORK } from './paths.mjs';

/** A failed preparation: the message is one line and the end of its output. */
export class StepError extends Error {}

const TAIL_LINES = 30;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/**
 * Runs a command as a step, and prints one line about it: its title and duration. Its output goes to a log in
 * .deckhand/logs.
 * @throws StepError if the command fails or cannot be started.
 */
export async function step(title, command, args, env = {}) {
  const log = join(WORK, 'logs', `${title.toLowerCase().replace(/\W+/g, '-')}.log`);
  const startedAt = performance.now();
  const stopSpinning = spin(title, startedAt);
  const fault = await execute(command, args, env, log);
  stopSpinning();
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  if (fault === undefined) {
    console.log(`✔ ${title} (${seconds})`);
    return;
  }
  const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  throw new StepError(`✖ ${title} failed after ${seconds} (${fault}); the end of ${log}:\n\n${tail}`);
}

/** Resolves with the error, or undefined. */
function execute(command, args, env, log) {
  mkdirSync(join(WORK, 'logs'), { recursive: true });
  const output = openSync(log, 'w');
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
}

/** Shows progress on a terminal. */
function spin(title, startedAt) {
  // In CI several steps run at once: each prints its line when it ends.
  if (!process.stdout.isTTY || process.env.CI === 'true') return () => undefined;
  let frame = 0;
  const timer = setInterval(() => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000);
    process.stdout.write(`\r${FRAMES[frame++ % FRAMES.length]} ${title} … ${seconds} s `);
  }, 100);
  return () => {
    clearInterval(timer);
    process.stdout.write('\r\u001b[2K');
  };
}
