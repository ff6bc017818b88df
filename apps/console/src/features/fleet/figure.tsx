import classes from './fleet-page.module.css';

/** A number with its label. */
export function Figure({ name, value, isBad = false }: { name: string; value: string; isBad?: boolean }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd data-bad={isBad}>{value}</dd>
    </div>
  );
}
