import Sequencer from '@jest/test-sequencer';

/** Short files with long tests. Jest starts the largest files first when it knows no durations, as in a fresh clone. */
const LONG_TESTS = ['e2e/hostile/hostile.test.ts', 'e2e/faults/statement-faults.test.ts', 'e2e/network-cuts.test.ts'];

/** Starts long tests first, so that no process is left alone with one at the end. */
export default class LongTestsFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => LONG_TESTS.some((name) => path.endsWith(name));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
