import { describe, expect, it } from '@jest/globals';
import { JOB_VERSION, readJob, writeJob } from './run-job.ts';

const snapshot = {
  workspaceId: 'w',
  workflowId: 'f',
  workflowVersionId: 'v',
  executionMode: 'normal',
  triggerNodeId: 'start',
  triggerData: '{"n":1}',
  deadlineAt: 2,
  queuedAt: 1,
  traceParent: null,
} as const;

describe('the JSON form of jobs', () => {
  /** Whoever changes this text breaks rolling upgrades, unless JOB_VERSION is raised. */
  const VERSION_2 = {
    text:
      '{"version":2,"runs":[{"executionId":"a","dispatch":1,"carried":{"workspaceId":"w","workflowId":"f",' +
      '"workflowVersionId":"v","executionMode":"normal","triggerNodeId":"start","triggerData":"{\\"n\\":1}",' +
      '"deadlineAt":2,"queuedAt":1,"traceParent":null}},{"executionId":"b","dispatch":3}]}',
    runs: [
      { executionId: 'a', dispatch: 1, snapshot },
      { executionId: 'b', dispatch: 3 },
    ],
  };

  it('is written as version 2 writes it', () => {
    expect(JOB_VERSION).toBe(2);
    expect(JSON.stringify(writeJob(VERSION_2.runs))).toBe(VERSION_2.text);
  });

  it('is read in versions 1 and 2, and left alone in newer ones', () => {
    expect(readJob(JSON.parse(VERSION_2.text))).toEqual(VERSION_2.runs);
    const version1 = '{"version":1,"executionId":"a","dispatch":2}';
    expect(readJob(JSON.parse(version1))).toEqual([{ executionId: 'a', dispatch: 2 }]);
    expect(readJob(JSON.parse('{"version":3,"runs":[]}'))).toBeUndefined();
  });
});
