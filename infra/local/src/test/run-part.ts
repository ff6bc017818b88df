import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';
import { readSecurityClaims } from './claims.ts';
import { addResults, NO_RESULTS, readResults, type TestResults } from './results.ts';
import { childCpuSeconds } from './cpu.ts';
import type { PartStep, TestPart } from './parts.ts';
import { runJest } from './run-jest.ts';
import { runMutants } from './run-mutants.ts';

/** Test files at once. Most of these tests start whole fleets, and hold them to promised times. */
const PROCESSES = 2;

/** How a part went. */
export interface PartRun extends TestResults {
  readonly minutes: number;
  /** CPU time of all its processes; undefined where the system does not report it. */
  readonly cpuMinutes: number | undefined;
}

/** Runs the steps of a part one after another. @param isGateGreen whether the tests of `npm test` have just passed. */
export async function runPart(part: TestPart, isGateGreen: boolean): Promise<PartRun> {
  console.log(`\nPart ${part.name}: ${part.about}`);
  const startedAt = performance.now();
  const cpuBefore = childCpuSeconds();
  let results = NO_RESULTS;
  for (const [index, step] of part.steps.entries()) {
    results = addResults(results, await runStep(step, `${part.name}-${index + 1}`, isGateGreen));
  }
  const cpuAfter = childCpuSeconds();
  return {
    ...results,
    minutes: (performance.now() - startedAt) / 60_000,
    cpuMinutes: cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / 60,
  };
}

async function runStep(step: PartStep, name: string, isGateGreen: boolean): Promise<TestResults> {
  if ('mutants' in step) return runMutants({ isTrusted: isGateGreen });
  const prepared = (await step.prepare?.()) ?? {};
  if ('missing' in prepared) {
    return { ...NO_RESULTS, failed: 1, failures: [`${name}: a program is missing: ${prepared.missing}`] };
  }
  const path = join(REPOSITORY, '.deckhand', 'test-results', `${name}.json`);
  const isClean = await runJest([...step.jest, `--maxWorkers=${PROCESSES}`], path, {
    TEST_FULL: '1',
    ...step.env,
    ...prepared,
  });
  return readResults(path, isClean, readSecurityClaims());
}
