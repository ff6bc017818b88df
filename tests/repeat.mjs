// Repeats test files to see whether they are flaky: npm run test:repeat -- <path pattern>… [--times 20] [--load]
// `--load` keeps one core busy meanwhile. Prints each run, and ends with 1 if one of them failed.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startTemplateServer } from '@deckhand/local';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LOGS = join(ROOT, '.deckhand', 'repeat');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '20' }, load: { type: 'boolean', default: false } },
});
if (positionals.length === 0) throw new Error('Name the test files: npm run test:repeat -- <path pattern>…');

/** Runs the files once, with the output in a log. @returns whether all tests passed. */
function runOnce(log) {
  const jest = ['node_modules/jest/bin/jest.js', '--testPathPatterns', ...positionals];
  const output = openSync(log, 'w');
  return new Promise((resolve) => {
    spawn(process.execPath, jest, { cwd: ROOT, stdio: ['ignore', output, output] }).once('close', (code) =>
      resolve(code === 0),
    );
  });
}

mkdirSync(LOGS, { recursive: true });
const server = await startTemplateServer();
process.env.TEST_POSTGRES_URL = server.url;
// A thread, which ends with this process however it ends.
const load = values.load ? new Worker('for (;;);', { eval: true }) : undefined;
let failed = 0;
try {
  for (let run = 1; run <= Number(values.times); run += 1) {
    const startedAt = performance.now();
    const log = join(LOGS, `${run}.log`);
    const isPassed = await runOnce(log);
    if (!isPassed) failed += 1;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`${run}/${values.times} ${isPassed ? 'passed' : `FAILED: ${log}`} (${seconds} s)`);
  }
} finally {
  await load?.terminate();
  await server.stop();
}
console.log(`${Number(values.times) - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
