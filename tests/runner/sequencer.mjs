import Sequencer from '@jest/test-sequencer';

/** The projects whose tests take longest first: no process is left alone with a long test at the end. */
const ORDER = ['e2e', 'journeys', 'integration', 'component', 'unit'];

/** Short files with long tests. Jest starts the largest files first when it knows no durations, as in a fresh clone. */
const LONG_TESTS = ['faults/statement-faults.test.ts', 'faults/network-cuts.test.ts', 'hostile/hostile.test.ts'];

/** Orders tests project by project: a process runs tests of one project only, and keeps the modules it has loaded. */
export default class ProjectByProject extends Sequencer {
  sort(tests) {
    const rank = ({ path, context }) =>
      LONG_TESTS.some((name) => path.endsWith(name)) ? -1 : ORDER.indexOf(context.config.displayName.name);
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
