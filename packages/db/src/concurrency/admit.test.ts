import { describe, expect, it } from '@jest/globals';
import { admit, type Candidate, type HeldBack } from './admit.js';

const candidate = (id: string, workflowId = 'w', rest: Partial<Candidate> = {}): Candidate => ({
  id,
  workspaceId: 's',
  workflowId,
  dispatch: 1,
  token: 't',
  isHeld: false,
  ...rest,
});
const heldBack = (id: string, workflowId = 'w', isDispatched = false): HeldBack => ({
  id,
  workspaceId: 's',
  workflowId,
  isDispatched,
});
const ids = (runs: readonly { id: string }[]) => runs.map(({ id }) => id);
const admitted = (...args: Parameters<typeof admit>) => {
  const { claim, holdBack, dispatch } = admit(...args);
  return { claim: ids(claim), holdBack: ids(holdBack), dispatch: ids(dispatch) };
};

describe('free slots', () => {
  it('go to the oldest, whether they wait already or are asked for', () => {
    const slots = new Map([['w', 2]]);
    expect(admitted([candidate('4'), candidate('2')], [heldBack('3'), heldBack('1')], slots)).toEqual({
      claim: ['2'],
      holdBack: ['4'],
      dispatch: ['1'],
    });
  });

  it('are kept for a run whose job is on the way, which is not sent out twice', () => {
    expect(admitted([candidate('2')], [heldBack('1', 'w', true)], new Map([['w', 1]]))).toEqual({
      claim: [],
      holdBack: ['2'],
      dispatch: [],
    });
  });

  it('are given once to a run that waits and is asked for', () => {
    const slots = new Map([['w', 2]]);
    expect(admitted([candidate('1')], [heldBack('1', 'w', true), heldBack('2')], slots)).toEqual({
      claim: ['1'],
      holdBack: [],
      dispatch: ['2'],
    });
  });

  it('of a workspace pass by a workflow at its own limit', () => {
    const slots = new Map([
      ['s', 1],
      ['full', 0],
      ['open', null],
    ]);
    expect(admitted([candidate('1', 'full'), candidate('2', 'open'), candidate('3', 'open')], [], slots)).toEqual({
      claim: ['2'],
      holdBack: ['1', '3'],
      dispatch: [],
    });
  });

  it('are not needed by a run that its worker holds already', () => {
    expect(admitted([candidate('1', 'w', { isHeld: true })], [], new Map([['w', 0]]))).toMatchObject({ claim: ['1'] });
  });

  it('are as many as there are runs without a limit, and none below it', () => {
    expect(admitted([candidate('1'), candidate('2')], [], new Map())).toMatchObject({ claim: ['1', '2'] });
    expect(admitted([candidate('1')], [], new Map([['w', -3]]))).toMatchObject({ holdBack: ['1'] });
  });
});
