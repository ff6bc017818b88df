import { expect, it } from '@jest/globals';
import { afterStub, type ImportNote, partOf, toTasks } from './tasks.ts';

const note = (node: string, level: ImportNote['level'], ...messages: string[]): ImportNote => ({
  node,
  type: 'x',
  level,
  nodeIds: [],
  messages,
});

it('names each cause once, first what must be done', () => {
  const tasks = toTasks([
    note('Start', 'converted'),
    note('Model', 'manual', partOf('Agent')),
    note('After', 'review', afterStub('Agent'), 'check the dates'),
    note('Then', 'review', afterStub('Slack')),
    note('Agent', 'manual', 'a node with models'),
    note('One', 'manual', 'the script uses "fs"'),
    note('Two', 'manual', 'the script uses "os"'),
    note('Three', 'review', 'check the dates'),
    note('Four', 'review', 'choose a credential'),
  ]);
  expect(tasks).toEqual([
    { level: 'manual', message: 'the script uses "…"', nodes: ['One', 'Two'] },
    { level: 'manual', message: 'a node with models', nodes: ['Agent'] },
    { level: 'review', message: 'check the dates', nodes: ['After', 'Three'] },
    { level: 'review', message: 'choose a credential', nodes: ['Four'] },
    { level: 'review', message: 'the data of "…", which is a stub, is taken for one item', nodes: ['After', 'Then'] },
    { level: 'manual', message: 'is part of "Agent", whose stub has it', nodes: ['Model'] },
  ]);
});
