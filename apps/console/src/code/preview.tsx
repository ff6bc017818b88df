import type { JsonValue } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { i18n } from '../language/i18n.ts';
import classes from './below.module.css';
import type { Trial } from './try-expression.ts';

/** How much of a value is shown, in characters. */
const MAX_SHOWN = 300;

/** Matches the names that are only known in expressions. */
const NAME_OF_RUN = /\$(trigger|input|nodes|loop|vars|execution|now)\b/;

/** The preview of a text with expressions, or its error; for plain text a warning if it looks like an expression. */
export function Preview({ text, trial }: { text: string; trial: Trial }) {
  return <div aria-live="polite">{contentOf(text, trial)}</div>;
}

function contentOf(text: string, trial: Trial) {
  switch (trial.kind) {
    case 'constant':
      return NAME_OF_RUN.test(text) ? (
        <p className={classes.issue}>
          {i18n.t('This is plain text. Put expressions in {braces}.', { braces: '{{ }}' })}
        </p>
      ) : null;
    case 'untried':
      return <p className={classes.note}>{i18n.t('Run the workflow once to see the value here.')}</p>;
    case 'issue':
      return <p className={classes.issue}>{trial.issue.message}</p>;
    case 'failed':
      return (
        <>
          <p className={classes.issue}>{i18n.t('With the last run: {reason}', { reason: trial.reason })}</p>
          <Missing ids={trial.missing} />
        </>
      );
    case 'value':
      return (
        <>
          <p className={classes.note}>
            <Trans
              id="In the last run: <0/>"
              components={{ 0: <span className={classes.value}>{shorten(trial.value)}</span> }}
            />
          </p>
          <Missing ids={trial.missing} />
        </>
      );
  }
}

function Missing({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return <p className={classes.note}>{i18n.t('Without data, or with too much: {ids}', { ids: ids.join(', ') })}</p>;
}

function shorten(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
