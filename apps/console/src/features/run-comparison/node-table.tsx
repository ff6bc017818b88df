import type { NodeProgress } from '@deckhand/contracts';
import { describeDuration, durationMs } from '../../components/durations.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ChangeMark } from '../../graph/change-mark.tsx';
import { i18n } from '../../language/i18n.ts';
import type { NodePair } from './compare-nodes.ts';
import classes from './node-table.module.css';

/** The nodes of two runs: status and duration of each side, and what differs. */
export function NodeTable({
  pairs,
  selected,
  onSelect,
}: {
  pairs: readonly NodePair[];
  selected: string | undefined;
  onSelect: (nodeId: string) => void;
}) {
  return (
    <table className={classes.table} aria-label={i18n.t('Nodes')}>
      <thead>
        <tr>
          <th scope="col">{i18n.t('Node')}</th>
          <th scope="col">{i18n.t('First run')}</th>
          <th scope="col">{i18n.t('Second run')}</th>
          <th scope="col">{i18n.t('Difference')}</th>
        </tr>
      </thead>
      <tbody>
        {pairs.map((pair) => (
          <tr key={pair.nodeId} aria-selected={pair.nodeId === selected} className={classes.row}>
            <th scope="row">
              <button type="button" aria-pressed={pair.nodeId === selected} onClick={() => onSelect(pair.nodeId)}>
                {pair.title}
              </button>
            </th>
            <td>{pair.isIn !== 'right' && <SideOfNode progress={pair.left} />}</td>
            <td>{pair.isIn !== 'left' && <SideOfNode progress={pair.right} />}</td>
            <td>
              <Difference pair={pair} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SideOfNode({ progress }: { progress: NodeProgress | undefined }) {
  const ms = progress && finishedMs(progress);
  return (
    <span className={classes.side}>
      <StatusBadge status={progress?.status ?? 'pending'} />
      {ms !== undefined && <span className={classes.time}>{describeDuration(ms)}</span>}
    </span>
  );
}

function Difference({ pair: { isIn, left, right, output, differs } }: { pair: NodePair }) {
  if (isIn !== 'both') return <ChangeMark change={isIn === 'right' ? 'added' : 'removed'} />;
  const [before, after] = [left && finishedMs(left), right && finishedMs(right)];
  const change = before === undefined || after === undefined ? 0 : after - before;
  return (
    <span className={classes.side}>
      {differs && <ChangeMark change="changed" />}
      {output === 'same' && <span className={classes.time}>{i18n.t('Same output')}</span>}
      {change !== 0 && (
        <span className={classes.time}>
          {change > 0 ? '+' : '−'}
          {describeDuration(Math.abs(change))}
        </span>
      )}
    </span>
  );
}

/** How long a node took; undefined for one in progress. */
function finishedMs({ startedAt, finishedAt }: NodeProgress): number | undefined {
  return finishedAt === null ? undefined : durationMs(startedAt, finishedAt, 0);
}
