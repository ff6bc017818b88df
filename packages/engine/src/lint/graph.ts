import { ERROR_HANDLE } from '../compile/loops.ts';
import type { Rule } from './rule.ts';

/* Edges that are missing, or that no run takes. */

/** Finds nodes with `onError: "branch"` that no edge leaves at `error`: after a failure, the run still succeeds. */
export const errorBranches: Rule =
  () =>
  ({ definition, outgoing }) => {
    if (definition.onError !== 'branch' || outgoing.some(({ handle }) => handle === ERROR_HANDLE)) return [];
    const message = 'onError is "branch", and no edge leaves it at "error": after a failure, the run still succeeds.';
    return [{ code: 'ERROR_BRANCH_MISSING', path: 'onError', message }];
  };

/** Finds nodes to which no edge leads. Those behind them are not listed, because the same edge is missing. */
export const unreachable: Rule =
  () =>
  ({ incoming, type }) =>
    type.isTrigger || incoming.length > 0
      ? []
      : [{ code: 'NODE_UNREACHABLE', path: '', message: 'No edge leads to this node, so it never runs.' }];

/** Finds edges that leave a node which always fails. */
export const deadEnds: Rule =
  () =>
  ({ definition, outgoing, type }) => {
    if (!type.alwaysFails || definition.onError === 'continue') return [];
    const dead = outgoing.find(({ handle }) => handle !== ERROR_HANDLE);
    if (!dead) return [];
    const message = `This node always fails, so the run never continues at "${dead.target.id}".`;
    return [{ code: 'NODE_NEVER_CONTINUES', path: '', message }];
  };
