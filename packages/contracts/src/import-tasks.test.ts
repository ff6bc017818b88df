import { expect, it } from '@jest/globals';
import { openTasks } from './import-tasks.ts';
import { stubSource } from './stub-script.ts';

const stub = { type: 'code', parameters: { source: stubSource('{}', 'no') } };
const task = (level: 'manual' | 'review', ...nodeIds: string[][]) => ({
  level,
  message: 'no',
  nodes: nodeIds.map((ids) => ({ name: ids.join(), nodeIds: ids })),
});

it.each([
  ['a stub that is still there', task('manual', ['a', 'a_trigger']), [false], false],
  ['a stub that was replaced', task('manual', ['replaced']), [true], true],
  ['a stub that was deleted', task('manual', ['gone']), [true], true],
  ['one of two stubs that is left', task('manual', ['gone'], ['a']), [true, false], false],
  ['a node to review that is still there', task('review', ['gone', 'replaced']), [false], false],
  ['a node to review that was deleted', task('review', ['gone']), [true], true],
  ['what became no node', task('review', []), [false], false],
])('finds what is left to do: %s', (_what, given, each, all) => {
  const nodes = [
    { id: 'a', ...stub },
    { id: 'replaced', type: 'set' },
  ];
  const [open] = openTasks([given], nodes);
  expect([open?.nodes.map(({ done }) => done), open?.done]).toEqual([each, all]);
});
