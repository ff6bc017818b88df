import type { Execution } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { describeDuration, durationMs } from '../../components/durations.js';
import { STATUS_LOOKS, StatusBadge } from '../../components/status-badge.js';
import { toBars } from './bars.js';
import classes from './timeline.module.css';

const TICK_MS = 500;

/** A bar per node, from its start to its end, in the order of their starts. */
export function Timeline({
  run,
  titles,
  selected,
  onSelect,
}: {
  run: Execution;
  titles: ReadonlyMap<string, string>;
  selected: string | undefined;
  onSelect: (nodeId: string) => void;
}) {
  const isRunning = run.finishedAt === null;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const bars = toBars(run, [...titles.keys()], now);
  if (bars.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No node has started.
      </Text>
    );
  }
  return (
    <ol className={classes.list} aria-label="Timeline of nodes">
      {bars.map(({ nodeId, status, iterations, isReused, startedAt, finishedAt, left, width }) => (
        <li key={nodeId}>
          <button
            type="button"
            className={classes.row}
            aria-pressed={nodeId === selected}
            onClick={() => onSelect(nodeId)}
          >
            <span className={classes.name}>
              {titles.get(nodeId) ?? nodeId}
              {iterations > 1 && <span className={classes.rounds}> × {iterations}</span>}
            </span>
            <span className={classes.status}>
              <StatusBadge status={status} />
            </span>
            <span className={classes.track}>
              {!isReused && (
                <span
                  className={classes.bar}
                  style={{
                    left: `${left}%`,
                    width: `${width}%`,
                    background: `var(--status-${STATUS_LOOKS[status].tone})`,
                  }}
                />
              )}
            </span>
            <span className={classes.time}>
              {isReused ? 'Reused' : describeDuration(durationMs(startedAt, finishedAt, now) ?? 0)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
