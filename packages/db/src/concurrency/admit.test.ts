import { describe, expect, it } from '@jest/globals';
import { admit, type Candidate, type HeldBack } from './admit.ts';

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
  it('go to the oldest runs, whether held back or candidates of a worker', () => {
    const slots = new Map([['w', 2]]);
    expect(admitted([candidate('4'), candidate('2')], [heldBack('3'), heldBack('1')], slots)).toEqual({
      claim: ['2'],
      holdBack: ['4'],
      dispatch: ['1'],
    });
  });

  it('are reserved for a run whose job is on the way, which is not dispatched twice', () => {
    expect(admitted([candidate('2')], [heldBack('1', 'w', true)], new Map([['w', 1]]))).toEqual({
      claim: [],
      holdBack: ['2'],
      dispatch: [],
    });
  });

  it('are assigned once to a run that is both held back and a candidate', () => {
    const slots = new Map([['w', 2]]);
    expect(admitted([candidate('1')], [heldBack('1', 'w', true), heldBack('2')], slots)).toEqual({
      claim: ['1'],
      holdBack: [],
      dispatch: ['2'],
    });
  });

  it('of a workspace go to other workflows if one is at its own limit', () => {
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

  it('are not used by a run that its worker holds already', () => {
    expect(admitted([candidate('1', 'w', { isHeld: true })], [], new Map([['w', 0]]))).toMatchObject({ claim: ['1'] });
  });

  it('are unlimited without a limit, and none if the limit is exceeded', () => {
    expect(admitted([candidate('1'), candidate('2')], [], new Map())).toMatchObject({ claim: ['1', '2'] });
    expect(admitted([candidate('1')], [], new Map([['w', -3]]))).toMatchObject({ holdBack: ['1'] });
  });
});
