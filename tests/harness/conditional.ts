import { describe, it } from '@jest/globals';

/**
 * Returns `it` if nothing is missing that a test needs. Otherwise the test is reported as skipped, and its title says
 * why: it must never pass without having run.
 * @param missing what is missing, as "there is no network".
 */
export function itUnless(missing: string | undefined): (title: string, run: () => Promise<void>, ms?: number) => void {
  return (title, run, ms) => {
    if (missing === undefined) it(title, run, ms);
    else it.skip(`${title} (not run: ${missing})`, run, ms);
  };
}

/** As `itUnless`, for a block of tests. */
export function describeUnless(missing: string | undefined): (title: string, block: () => void) => void {
  return (title, block) => {
    if (missing === undefined) describe(title, block);
    else describe.skip(`${title} (not run: ${missing})`, block);
  };
}
