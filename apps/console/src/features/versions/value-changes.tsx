import type { JsonValue } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { toText } from '../../forms/values.ts';
import type { Change, ValueChange } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';
import { splitChange } from './split-change.ts';
import classes from './value-changes.module.css';

const SIDES = { before: i18n.t('Before'), after: i18n.t('After') } as const;

/** Values before and after, side by side; a single side for added and removed values. */
export function ValueChanges({
  change,
  values,
  labelOf,
  isSecret,
  sides = SIDES,
}: {
  change: Change;
  values: readonly ValueChange[];
  labelOf: (value: ValueChange) => string;
  isSecret: (value: ValueChange) => boolean;
  /** The names of the sides. */
  sides?: Readonly<Record<'before' | 'after', string>>;
}) {
  if (values.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('No settings.')}
      </Text>
    );
  }
  return values.map((value) => {
    const label = labelOf(value);
    const { before, after } = isSecret(value) ? { before: HIDDEN, after: HIDDEN } : mark(value);
    return (
      <div key={label} className={classes.value} role="group" aria-label={label}>
        <h3 className={classes.label}>{label}</h3>
        <div className={classes.sides} data-change={change}>
          {change !== 'added' && <Side label={sides.before}>{before}</Side>}
          {change !== 'removed' && <Side label={sides.after}>{after}</Side>}
        </div>
      </div>
    );
  });
}

const NONE = <span className={classes.none}>{i18n.t('Not set')}</span>;
const HIDDEN = <span className={classes.none}>{i18n.t('Secret, not shown')}</span>;

function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.side} role="group" aria-label={label}>
      <div className={classes.name} aria-hidden>
        {label}
      </div>
      {/* Long texts scroll, by keyboard, too. */}
      <pre className={classes.text} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}

/** Returns both sides, with the difference marked if there are two. */
function mark({ before, after }: ValueChange): { before: ReactNode; after: ReactNode } {
  if (before === undefined || after === undefined) return { before: show(before), after: show(after) };
  const { start, end, ...changed } = splitChange(before, after);
  return {
    before: (
      <>
        {start}
        <del>{changed.before}</del>
        {end}
      </>
    ),
    after: (
      <>
        {start}
        <ins>{changed.after}</ins>
        {end}
      </>
    ),
  };
}

function show(value: JsonValue | undefined): ReactNode {
  return value === undefined ? NONE : toText(value);
}
