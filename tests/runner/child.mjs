// A process of the runner: runs the test files that it is sent, one after another.
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { jestExpect } from '@jest/expect';
import fc from 'fast-check';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { randomSeed } from '../harness/random.ts';
import { jest } from './globals.mjs';
import { endProcess } from './process-end.ts';
import { findChanges, readSharedState } from './shared-state.ts';

const GLOBALS = new URL('globals.mjs', import.meta.url).href;

// Outside of Jest's own runner, @jest/globals refuses to be imported.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

fc.configureGlobal({ seed: randomSeed() });

const loaded = new Set();

/** Evaluates a test file, which defines its tests; again if it ran in this process before. */
async function load(path) {
  const url = pathToFileURL(path);
  if (loaded.has(path)) url.searchParams.set('run', String(performance.now()));
  loaded.add(path);
  await import(url.href);
}

let isEndedByFailure = false;

/** Reports the first failed test at once, where the caller needs no more: the file's other tests are not waited for. */
addEventHandler((event) => {
  if (isEndedByFailure && event.name === 'test_done' && event.test.errors.length > 0) process.send({ isFailed: true });
});

// A test that passes without an assertion would pass without the product, too. The waits of Playwright are assertions
// that nobody counts.
addEventHandler(({ name, test }) => {
  if (name === 'test_start') jestExpect.setState({ assertionCalls: 0 });
  const isCounted = !jestExpect.getState().testPath.includes('/console/');
  if (name === 'test_fn_success' && isCounted && jestExpect.getState().assertionCalls === 0) {
    test.errors.push(new Error('The test has asserted nothing.'));
  }
});

async function runFile({ path, testNamePattern, testTimeoutMs, setupFiles = [], endsByFailure = false }) {
  isEndedByFailure = endsByFailure;
  resetState();
  const state = getState();
  if (testTimeoutMs) state.testTimeout = testTimeoutMs;
  if (testNamePattern) state.testNamePattern = new RegExp(testNamePattern, 'i');
  jestExpect.setState({ testPath: path, suppressedErrors: [] });
  for (const file of setupFiles) await import(pathToFileURL(file).href);
  const start = Date.now();
  await load(path);
  const shared = readSharedState();
  const { testResults, unhandledErrors } = await run();
  jest.restoreAllMocks();
  jest.useRealTimers();
  const changes = findChanges(shared);
  if (changes.length > 0) unhandledErrors.push(`The tests left ${changes.join(', ')} changed, which other files see.`);
  // Details of errors are for other reporters, and not every error can be sent to another process.
  const results = testResults.map((result) => ({ ...result, errorsDetailed: [], retryReasonsDetailed: [] }));
  return { testResults: results, unhandledErrors, start, end: Date.now() };
}

/** An error that nothing caught belongs to the test that runs, or else to the file. */
function addUnhandled(error) {
  const { currentlyRunningTest, unhandledErrors } = getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
}
process.on('uncaughtException', addUnhandled);
process.on('unhandledRejection', addUnhandled);
process.on('disconnect', async () => {
  await endProcess();
  process.exit();
});

process.on('message', async (task) => {
  try {
    const circus = await runFile(task);
    process.send({ circus, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    process.send({ error: { message, stack } });
  }
});
