import { EXIT, ExitError, type Output, type Text } from '@deckhand/terminal';
import { Command } from 'commander';
import type { Tester } from '@deckhand/testing';
import { watch } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { describeError, issuesOf } from '../describe-error.ts';
import { TESTS } from '../files/document.ts';
import { type TestedFile, toJunit } from '../files/junit.ts';
import { definitionOf } from '../files/translate.ts';
import { type LocalFile, readFiles } from '../files/yaml-file.ts';
import { untilInterrupted } from '../following/interrupt.ts';

interface TestOptions {
  readonly dir: string;
  readonly junit?: string;
  readonly watch?: boolean;
  readonly strict?: boolean;
}

/** Delay after a change of a file, in ms: editors write several times. */
const QUIET_MS = 100;
/** Stands for ids that only an instance knows. No test reaches what they stand for. */
const SOME_ID = '00000000-0000-7000-8000-000000000000';

/** Creates `test`, which runs the tests of files. */
export function testCommand({ output }: Pick<Context, 'output'>): Command {
  return new Command('test')
    .summary('run the tests in the files of workflows')
    .description(
      'Runs the tests of each file on the engine, in this process, without an instance: nodes with effects outside have mocks, and ' +
        'waits and retries pass on a clock of their own. Exits with 0 if all tests pass, otherwise with 1.',
    )
    .argument('[slug...]', 'only these workflows; all files by default')
    .option('--dir <folder>', 'the folder of the files', 'workflows')
    .option('--junit <file>', 'also write the results as JUnit XML, for CI')
    .option('--strict', 'fail on warnings about the definitions, also of files without tests')
    .option('--watch', 'run the tests again when a file changes, until Ctrl+C')
    .action(async (slugs: readonly string[], options: TestOptions) => {
      // Loaded on demand: the engine and the node types are larger than the rest of the command.
      const { createTester } = await import('@deckhand/testing');
      const tester = await createTester();
      const run = async (): Promise<void> => {
        const tested = await runTests(tester, slugs, options);
        report(output, tested);
        if (options.junit !== undefined) await writeFile(options.junit, toJunit(tested.filter(hasTests)));
        const isRefused = options.strict === true && tested.some(({ warnings }) => warnings !== undefined);
        process.exitCode = isRefused || tested.some(isFailed) ? EXIT.failed : EXIT.done;
      };
      try {
        if (options.watch) await watchFiles(output, options.dir, run);
        else await run();
      } finally {
        await tester.close();
      }
    });
}

async function runTests(
  tester: Tester,
  slugs: readonly string[],
  { dir }: TestOptions,
): Promise<readonly TestedFile[]> {
  const files = await readFiles(dir);
  const unknown = slugs.find((slug) => !files.has(slug));
  if (unknown !== undefined) throw new ExitError(`No file in ${dir} has the slug ${unknown}.`, EXIT.notFound);
  const tested: TestedFile[] = [];
  for (const { document } of [...files.values()].filter(({ document }) => isChosen(document, slugs))) {
    const tests: readonly unknown[] = Array.isArray(document[TESTS]) ? document[TESTS] : [];
    const ids = { credentialId: () => SOME_ID, workflowId: () => SOME_ID };
    const definition = definitionOf(ids, document, () => 'test');
    const warnings = issuesOf(tester.warnings(definition));
    const results = await tester.test(definition, tests);
    // Warnings are about every file, also about those without tests.
    if (results.length === 0 && warnings.length === 0) continue;
    tested.push({ slug: document.slug, tests: results, ...(warnings.length > 0 && { warnings }) });
  }
  return tested;
}

function isChosen({ slug }: LocalFile['document'], slugs: readonly string[]): boolean {
  return slugs.length === 0 || slugs.includes(slug);
}

function hasTests({ tests }: TestedFile): boolean {
  return tests.length > 0;
}

function isFailed({ tests }: TestedFile): boolean {
  return tests.some(({ failures }) => failures.length > 0);
}

function report(output: Output, tested: readonly TestedFile[]): void {
  for (const { slug, warnings = [] } of tested)
    for (const text of warnings) output.message({ text: `Warning: ${slug}: ${text}`, style: 'yellow' });
  const all = tested.flatMap(({ tests }) => tests);
  const failed = all.filter(({ failures }) => failures.length > 0).length;
  output.result(tested, () => [
    ...tested
      .filter(hasTests)
      .flatMap(({ slug, tests }) => [
        slug,
        ...tests.flatMap(({ name, failures, durationMs }): readonly Text[] => [
          failures.length === 0
            ? [{ text: '  ✓ ', style: 'green' }, `${name} (${Math.round(durationMs)} ms)`]
            : { text: `  ✗ ${name}`, style: 'red' },
          ...failures.map((failure) => `    ${failure}`),
        ]),
      ]),
    all.length === 0
      ? 'No tests.'
      : { text: `${all.length - failed} passed, ${failed} failed`, style: failed > 0 ? 'red' : 'green' },
  ]);
}

/** Runs the tests at once, and again after each change of a file. @throws ExitError after Ctrl+C. */
async function watchFiles(output: Output, dir: string, run: () => Promise<void>): Promise<void> {
  await untilInterrupted('Stopped watching.', async (signal) => {
    let isChanged = true;
    let wake = (): void => undefined;
    const watcher = watch(dir, (_, name) => {
      if (name !== null && !/\.ya?ml$/.test(name)) return;
      isChanged = true;
      wake();
    });
    signal.addEventListener('abort', () => wake());
    try {
      for (;;) {
        if (!isChanged && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
        signal.throwIfAborted();
        await delay(QUIET_MS);
        // Before the files are read: a change from now on needs another run.
        isChanged = false;
        // A file may be half written, or wrong for a moment.
        await run().catch((error: unknown) => output.message({ text: describeError(error).message, style: 'red' }));
        output.message({ text: `Waiting for changes in ${dir}.`, style: 'dim' });
      }
    } finally {
      watcher.close();
    }
  });
}
