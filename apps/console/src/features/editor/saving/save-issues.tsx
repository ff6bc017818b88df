import { CircleAlert, TriangleAlert, X } from 'lucide-react';
import { Problem } from '../../../components/problem.tsx';
import problem from '../../../components/problem.module.css';
import { i18n } from '../../../language/i18n.ts';
import classes from './save-issues.module.css';
import { isAllAt } from '../../../forms/issue-at.ts';
import { draftWarningsOf, issuesOf, refusalOf, warningsOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { type DescribedIssue, type DescribedWarning, isAboutDefinition } from '../model/issues.ts';
import { SETTING_PATHS } from '../settings/setting-paths.ts';
import { useChooseNode } from '../canvas/use-reveal.ts';

/** Why the last save failed, unless a dialog that is open says it; or the warnings about what it saved. */
export function SaveProblems() {
  const save = useEditor((state) => state.save);
  const { model } = useEditorSession();
  const issues = useEditor(issuesOf);
  const warnings = useEditor(warningsOf);
  const draftWarnings = useEditor(draftWarningsOf);
  const dialog = useEditor((state) => state.dialog?.kind);
  const refusal = useEditor(refusalOf);
  const choose = useChooseNode();
  if (dialog === 'comment' || (dialog === 'settings' && isAllAt(refusal, SETTING_PATHS))) return null;
  return (
    <>
      <Problem error={save.kind === 'failed' && !isAboutDefinition(save.error) ? save.error : null} />
      <SaveIssues issues={issues} onSelect={choose} />
      <SaveWarnings warnings={warnings} onSelect={choose} onClose={() => model.forgetWarnings()} />
      <DraftWarnings warnings={draftWarnings} onSelect={choose} />
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
              <Place nodeId={nodeId} name={place} onSelect={onSelect} />: {text}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface WarningsProps {
  readonly warnings: readonly DescribedWarning[];
  readonly onSelect: (nodeId: string) => void;
}

interface SaveWarningsProps extends WarningsProps {
  readonly onClose: () => void;
}

/** The warnings about a version that was saved, until the next edit. Each one about a node selects that node. */
function SaveWarnings({ warnings, onSelect, onClose }: SaveWarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <div className={`${problem.problem} ${classes.warnings}`} role="status">
      <TriangleAlert size={18} aria-hidden />
      <div>
        <strong>
          {i18n.t('Saved, with {count, plural, one {# warning} other {# warnings}}', { count: warnings.length })}
        </strong>
        <WarningList warnings={warnings} onSelect={onSelect} />
      </div>
      <button type="button" className={classes.close} aria-label={i18n.t('Hide warnings')} onClick={onClose}>
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}

/** The warnings about the draft, closed at first: it is saved while a person edits, and may be unfinished. */
function DraftWarnings({ warnings, onSelect }: WarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <details className={`${problem.problem} ${classes.warnings} ${classes.draft}`}>
      <summary>
        {i18n.t('{count, plural, one {# warning} other {# warnings}} about the draft', { count: warnings.length })}
      </summary>
      <WarningList warnings={warnings} onSelect={onSelect} />
    </details>
  );
}

function WarningList({ warnings, onSelect }: WarningsProps) {
  return (
    <ul>
      {warnings.map(({ nodeId, place, title, message, remedy, page }) => (
        <li key={`${nodeId ?? ''} ${title} ${message}`}>
          <Place nodeId={nodeId} name={place} onSelect={onSelect} />: {title}
          <p>
            {message} {remedy}{' '}
            <a href={page} target="_blank" rel="noreferrer">
              {i18n.t('More about this warning')}
            </a>
          </p>
        </li>
      ))}
    </ul>
  );
}

interface PlaceProps {
  readonly nodeId: string | undefined;
  readonly name: string;
  readonly onSelect: (nodeId: string) => void;
}

/** What an issue or a warning is about. The name of a node selects it. */
function Place({ nodeId, name, onSelect }: PlaceProps) {
  if (nodeId === undefined) return name;
  return (
    <button type="button" className={classes.place} onClick={() => onSelect(nodeId)}>
      {name}
    </button>
  );
}
