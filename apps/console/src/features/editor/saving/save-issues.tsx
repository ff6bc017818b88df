import { CircleAlert } from 'lucide-react';
import { Problem } from '../../../components/problem.tsx';
import problem from '../../../components/problem.module.css';
import { i18n } from '../../../language/i18n.ts';
import classes from './save-issues.module.css';
import { isAllAt } from '../../../forms/issue-at.ts';
import { issuesOf, refusalOf } from '../model/editor-model.ts';
import { useEditor } from '../model/editor-session.tsx';
import { type DescribedIssue, isAboutDefinition } from '../model/issues.ts';
import { SETTING_PATHS } from '../settings/setting-paths.ts';
import { useChooseNode } from '../canvas/use-reveal.ts';

/** Why the last save failed, unless a dialog that is open says it. */
export function SaveProblems() {
  const save = useEditor((state) => state.save);
  const issues = useEditor(issuesOf);
  const dialog = useEditor((state) => state.dialog?.kind);
  const refusal = useEditor(refusalOf);
  const choose = useChooseNode();
  if (dialog === 'comment' || (dialog === 'settings' && isAllAt(refusal, SETTING_PATHS))) return null;
  return (
    <>
      <Problem error={save.kind === 'failed' && !isAboutDefinition(save.error) ? save.error : null} />
      <SaveIssues issues={issues} onSelect={choose} />
    </>
  );
}

/** The issues of a save, until the next edit. Each one in a node selects that node. */
function SaveIssues({ issues, onSelect }: { issues: readonly DescribedIssue[]; onSelect: (nodeId: string) => void }) {
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
