import type { ReactNode } from 'react';
import classes from './mark-code.module.css';

/** A text with the parts in backticks as code. */
export function markCode(text: string): ReactNode {
  if (!text.includes('`')) return text;
  // Every second part is what was between two of them.
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className={classes.code}>
        {part}
      </code>
    ),
  );
}
