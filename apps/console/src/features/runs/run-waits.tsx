import { type Definition, type Execution, isFinished } from '@deckhand/contracts';
import { Anchor, Text } from '@mantine/core';
import { Hourglass } from 'lucide-react';
import { AnchorLink } from '../../components/links.tsx';
import { ElapsedTime, useNow } from '../../components/relative-time.tsx';
import { dateLocale, i18n } from '../../language/i18n.ts';
import classes from './run-facts.module.css';
import { type Wait, waitsOf } from './waits.ts';

/** Why an unfinished run waits, since when, and where people let it go on. Nothing for other runs. */
export function RunWaits({
  run,
  definition,
  titles,
  onSelect,
}: {
  run: Execution;
  definition: Definition;
  titles: ReadonlyMap<string, string>;
  onSelect: (nodeId: string) => void;
}) {
  const now = useNow();
  if (isFinished(run.status)) return null;
  const waits = waitsOf(run, definition, now);
  if (waits.length === 0) return null;
  return (
    <ul className={classes.waits} aria-label={i18n.t('What the run waits for')}>
      {waits.map((wait) => (
        <li key={wait.nodeId ?? ''}>
          <Hourglass size={14} aria-hidden /> <WaitText wait={wait} titles={titles} onSelect={onSelect} />
          {wait.isForPeople && (
            <>
              {' · '}
              <AnchorLink size="sm" to="/w/$workspaceId/approvals" params={{ workspaceId: run.workspaceId }}>
                {i18n.t('Approvals')}
              </AnchorLink>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function WaitText({
  wait: { nodeId, reason, since, until },
  titles,
  onSelect,
}: {
  wait: Wait;
  titles: ReadonlyMap<string, string>;
  onSelect: (nodeId: string) => void;
}) {
  return (
    <Text size="sm" component="span">
      {nodeId !== undefined && (
        <>
          <Anchor component="button" type="button" size="sm" onClick={() => onSelect(nodeId)}>
            {titles.get(nodeId) ?? nodeId}
          </Anchor>
          {': '}
        </>
      )}
      {reason}
      {since !== undefined && (
        <>
          {', '}
          <ElapsedTime since={since} />
        </>
      )}
      {until !== undefined && `, ${new Date(until).toLocaleString(dateLocale())}`}
    </Text>
  );
}
