import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import {
  canMove,
  EXECUTION_STATUSES,
  EXECUTION_TRANSITIONS,
  EXECUTION_EVENTS,
  FINISHED_STATUSES,
  isFinished,
} from './execution-status.ts';

describe('the transition table', () => {
  it('never leaves a finished status', () => {
    for (const status of FINISHED_STATUSES) {
      expect(isFinished(status)).toBe(true);
      expect(EXECUTION_EVENTS.filter((event) => canMove(status, event))).toEqual([]);
    }
  });

  it('leads from every unfinished status to an end', () => {
    for (const status of EXECUTION_STATUSES.filter((one) => !isFinished(one))) {
      expect(canMove(status, 'stop')).toBe(true);
      expect(canMove(status, 'timeOut')).toBe(true);
    }
  });

  it('resumes only what a person paused', () => {
    expect(EXECUTION_TRANSITIONS.resume.from).toEqual(['paused']);
  });

  it('is what docs/execution-status.md draws', async () => {
    const page = await readFile(new URL('../../../docs/execution-status.md', import.meta.url), 'utf8');
    const drawn = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| `(\w+)` \|/gm)].map(([, event, from = '', to]) => ({
      event,
      from: from.split(', ').map((status) => status.replaceAll('`', '')),
      to,
    }));
    expect(drawn).toEqual(EXECUTION_EVENTS.map((event) => ({ event, ...EXECUTION_TRANSITIONS[event] })));
  });
});
