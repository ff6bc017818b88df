import { CircleAlert } from 'lucide-react';
import problem from '../components/problem.module.css';
import { i18n } from '../language/i18n.ts';
import classes from './save-issues.module.css';
import type { DescribedIssue } from './issues.ts';

/** The issues of a save, until the next edit. Each one in a node selects that node. */
export function SaveIssues({
  issues,
  onSelect,
}: {
  issues: readonly DescribedIssue[];
  onSelect: (nodeId: string) => void;
}) {
  if (issues.length === 0) return null;
  return (
    <div className={problem.problem} role="alert">
      <CircleAlert size={18} aria-hidden />
      <div>
        <strong>
          {i18n.t('Not saved: {count, plural, one {# issue} other {# issues}}', { count: issues.length })}
        </strong>
        <ul>
          {issues.map(({ nodeId, place, text }) => (
            <li key={`${nodeId ?? ''} ${place} ${text}`}>
              {nodeId === undefined ? (
                place
              ) : (
                <button type="button" className={classes.place} onClick={() => onSelect(nodeId)}>
                  {place}
                </button>
              )}
              : {text}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
