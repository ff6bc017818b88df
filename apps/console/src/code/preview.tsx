import type { JsonValue } from '@deckhand/contracts';
import classes from './below.module.css';
import type { Trial } from './try-expression.js';

/** How much of a value is shown, in characters. */
const MAX_SHOWN = 300;

/** The preview of a text with expressions, or its error; nothing for plain text. */
export function Preview({ trial }: { trial: Trial }) {
  return <div aria-live="polite">{contentOf(trial)}</div>;
}

function contentOf(trial: Trial) {
  switch (trial.kind) {
    case 'constant':
      return null;
    case 'untried':
      return <p className={classes.note}>Run the workflow once to see the value here.</p>;
    case 'issue':
      return <p className={classes.issue}>{trial.issue.message}</p>;
    case 'failed':
      return (
        <>
          <p className={classes.issue}>With the last run: {trial.reason}</p>
          <Missing ids={trial.missing} />
        </>
      );
    case 'value':
      return (
        <>
          <p className={classes.note}>
            In the last run: <span className={classes.value}>{shorten(trial.value)}</span>
          </p>
          <Missing ids={trial.missing} />
        </>
      );
  }
}

function Missing({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return <p className={classes.note}>Without data, or with too much: {ids.join(', ')}</p>;
}

function shorten(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
