import { formatResultsErrors } from 'jest-message-util';
import { randomSeed } from '../harness/random.ts';
import { startChild } from './start-child.mjs';

/** A process that uses more memory than this after a file is replaced, in bytes. */
const MAX_RSS_BYTES = 1_500_000_000;

/**
 * Jest's runner of this project: test files run one after another in a few processes of plain Node.js, which strips
 * types itself and keeps every module that it has loaded. Jest's own runner would load and compile all modules anew for
 * each file. So a test must not change what other files of its project see: the state of modules, or built-ins, which
 * are compared after each file.
 * The interface is Jest's (https://jestjs.io/docs/configuration#runner-string).
 */
export default class ProcessRunner {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
    // All processes have the same seed.
    process.env.FC_SEED = String(randomSeed());
    process.stderr.write(`FC_SEED=${process.env.FC_SEED}\n`);
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const queue = tests.values();
    const lanes = Array.from({ length: Math.min(this.#globalConfig.maxWorkers, tests.length) }, async (_, index) => {
      let child;
      let project;
      const end = async () => {
        await child?.stop();
        child = undefined;
      };
      for (const test of queue) {
        if (watcher.isInterrupted()) break;
        await onStart(test);
        const { config } = test.context;
        if (project !== config.id) await end();
        child ??= startChild(config.rootDir, { env: { JEST_WORKER_ID: String(index + 1) } });
        project = config.id;
        try {
          const { circus, rssBytes } = await child.run(this.#task(test));
          await onResult(test, toTestResult(circus, test, this.#globalConfig));
          if (rssBytes > MAX_RSS_BYTES) await end();
        } catch (error) {
          await onFailure(test, { message: error.message, stack: error.stack });
          await end();
        }
      }
      await end();
    });
    await Promise.all(lanes);
  }

  #task({ path, context: { config } }) {
    const { testNamePattern, testTimeout } = this.#globalConfig;
    return { path, testNamePattern, testTimeoutMs: config.testTimeout ?? testTimeout, setupFiles: config.setupFiles };
  }
}

/** Returns the results of jest-circus in the shape that Jest's reporters read. */
function toTestResult({ testResults, unhandledErrors, start, end }, { path, context: { config } }, globalConfig) {
  const assertions = testResults.map((result) => toAssertion(result));
  const count = (status) => assertions.filter((assertion) => assertion.status === status).length;
  const [unhandled] = unhandledErrors;
  return {
    testFilePath: path,
    testResults: assertions,
    failureMessage: formatResultsErrors(assertions, config, globalConfig, path),
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: {
      start,
      end,
      runtime: end - start,
      slow: (end - start) / 1_000 > config.slowTestThreshold,
      loadTestEnvironmentStart: start,
      setupFilesStart: start,
    },
    leaks: false,
    openHandles: [],
    skipped: false,
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    ...(unhandled === undefined
      ? {}
      : { testExecError: { message: unhandled, stack: unhandled }, failureMessage: unhandledErrors.join('\n\n') }),
  };
}

function toAssertion({ testPath, status, errors, errorsDetailed, duration, invocations, numPassingAsserts, failing }) {
  // The first is the name of the file's root block.
  const titles = testPath.filter((title) => title !== 'ROOT_DESCRIBE_BLOCK');
  const outcome = { skip: 'pending', todo: 'todo' }[status] ?? (errors.length > 0 ? 'failed' : 'passed');
  return {
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
    fullName: titles.join(' '),
    status: outcome,
    duration,
    failing,
    failureDetails: errorsDetailed,
    failureMessages: errors,
    invocations,
    location: null,
    numPassingAsserts,
    retryReasons: [],
  };
}
